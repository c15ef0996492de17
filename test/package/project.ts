import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { requireBuild } from '../support/built-package.ts';
import { PINNED_PACKAGES } from '../support/pinned-packages.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package. */
    readonly tarball: string;
    /** A project that installed it, and Node's types. */
    readonly consumer: string;
    /** The same, installed with `--omit=optional`, and zod in its oldest version that works. */
    readonly consumerWithoutOptional: string;
    /** A project with the package and several versions of each model service's client. */
    readonly clients: string;
  }
}

/** Packs the package as it would be published, and installs it into two empty projects and one with clients. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-package-'));
  const teardown = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const tarball = await pack(directory);
    project.provide('tarball', tarball);
    const types = '@types/node@20';
    const [consumer, consumerWithoutOptional, clients] = await Promise.all([
      install(directory, 'consumer', tarball, types),
      install(directory, 'without-optional', tarball, types, 'zod@3.25.76', '--omit=optional'),
      installClients(directory),
    ]);
    await symlink(
      join(consumer, 'node_modules/sandboxed-ptc'),
      join(clients, 'node_modules/sandboxed-ptc'),
    );
    project.provide('consumer', consumer);
    project.provide('consumerWithoutOptional', consumerWithoutOptional);
    project.provide('clients', clients);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

/** Packs what was built, without the script that builds it again. */
async function pack(parent: string): Promise<string> {
  requireBuild();
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', parent]);
  const tarball = (await readdir(parent)).find((name) => name.endsWith('.tgz'));
  return join(parent, String(tarball));
}

async function install(parent: string, name: string, ...what: string[]): Promise<string> {
  const directory = join(parent, name);
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...what], directory);
  return directory;
}

/** The clients are kept for the next run, so the project has links to them. */
async function installClients(parent: string): Promise<string> {
  const directory = join(parent, 'clients');
  await cp('test/package/clients', directory, { recursive: true });
  await cp('test/package/consumer/tsconfig.json', join(directory, 'tsconfig.json'));
  const { directory: kept, install: installKept } = PINNED_PACKAGES.package;
  installKept();
  const packages = join(directory, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(kept, 'node_modules'))) {
    await symlink(join(kept, 'node_modules', name), join(packages, name));
  }
  return directory;
}

/** Runs a program to its end, with `environment` beside this process's own. @returns what it printed. @throws Error with that, where it fails. */
export async function run(
  file: string,
  args: readonly string[],
  directory: string = process.cwd(),
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: directory, env: { ...process.env, ...environment } };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr);
      else reject(new Error(`${error.message}\n${stdout}${stderr}`, { cause: error }));
    });
    child.stdin?.end();
  });
}
