import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package. */
    readonly tarball: string;
    /** A project that installed it, and Node's types. */
    readonly consumer: string;
    /** The same, installed with `--omit=optional`. */
    readonly consumerWithoutOptional: string;
  }
}

/** Packs the package as it would be published, and installs it into two empty projects. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-package-'));
  const teardown = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await run('npm', ['pack', '--pack-destination', directory]);
    const [name] = await readdir(directory);
    const tarball = join(directory, String(name));
    project.provide('tarball', tarball);
    const [consumer, consumerWithoutOptional] = await Promise.all([
      install(directory, 'consumer', tarball, '@types/node@20'),
      install(directory, 'without-optional', tarball, '--omit=optional'),
    ]);
    project.provide('consumer', consumer);
    project.provide('consumerWithoutOptional', consumerWithoutOptional);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

async function install(parent: string, name: string, ...what: string[]): Promise<string> {
  const directory = join(parent, name);
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...what], directory);
  return directory;
}

/** Runs a program to its end. @returns what it printed. @throws Error with that, where it fails. */
export async function run(
  file: string,
  args: readonly string[],
  directory: string = process.cwd(),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd: directory }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr);
      else reject(new Error(`${error.message}\n${stdout}${stderr}`, { cause: error }));
    });
    child.stdin?.end();
  });
}
