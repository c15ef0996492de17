import { readFile } from 'node:fs/promises';
import { describe, expect, inject, it } from 'vitest';
import { run } from './project.ts';

const tarball = inject('tarball');

describe('the packed package', () => {
  it('has a manifest that every tool understands', async () => {
    await expect(run('publint', ['run', tarball, '--strict'])).resolves.toContain('All good!');
  });

  it('gives every entry point the types that it has', async () => {
    await expect(run('attw', [tarball, '--profile', 'esm-only'])).resolves.toMatch(
      /node16 \(from ESM\): 🟢/u,
    );
  });

  it('declares its types without those of the clients, whose versions differ', async () => {
    const args = ['--extract', '--to-stdout', '--wildcards', '--file', tarball, '*.d.ts'];
    const declarations = await run('tar', args);
    expect(declarations).toContain('export interface AnthropicClient');
    expect(declarations).not.toMatch(/(from|import\()\s*['"](@anthropic-ai|@aws-sdk|openai)/);
  });

  it('holds what it needs to run and nothing of its making', async () => {
    const files = (await run('tar', ['--list', '--file', tarball])).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/LICENSE',
        'package/README.md',
        'package/Dockerfile.sandbox',
        'package/dist/index.js',
        'package/dist/index.d.ts',
        'package/runner/python/supervisor/supervisor.py',
        'package/runner/embedded/supervisor.mjs',
        'package/examples/web-chat/server.mjs',
        'package/examples/web-chat/page/index.html',
      ]),
    );
    const inside = /^package\/(?:dist|docs|examples|runner)\/|^package\/[^/]+$/;
    const built = /__pycache__|tsbuildinfo|\.pyc$|package-lock|npmrc/;
    expect(files.filter((file) => !inside.test(file) || built.test(file))).toEqual([]);
  });
});

describe('the README of the packed package', () => {
  it('links and shows only files of the package', async () => {
    const files = (await run('tar', ['--list', '--file', tarball])).trim().split('\n');
    const readme = await run('tar', [
      '--extract',
      '--to-stdout',
      '--file',
      tarball,
      'package/README.md',
    ]);
    const targets = [...readme.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
    expect(targets).toEqual(expect.arrayContaining(['docs/images/demo.svg', 'CONTRIBUTING.md']));
    const missing = targets.filter(
      (target) => !/^[a-z]+:/.test(target) && !files.includes(`package/${target}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the lockfile', () => {
  it.each(['package-lock.json', 'test/package/clients/package-lock.json'])(
    '%s names no registry, so that every machine asks its own',
    async (path) => {
      await expect(readFile(path, 'utf8')).resolves.not.toContain('"resolved"');
    },
  );

  it('of the clients has the digest of each package', async () => {
    const text = await readFile('test/package/clients/package-lock.json', 'utf8');
    const { packages } = JSON.parse(text) as Lockfile;
    const lacking = Object.entries(packages).filter(([path, { integrity }]) => path && !integrity);
    expect(lacking).toEqual([]);
  });

  it('has the digest of each package, but for those of platforms that its registry does not serve', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile;
    const lacking = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && !/^sha512-.{86}==$/.test(integrity ?? ''),
    );
    expect(lacking.filter(([, locked]) => !isOfAnotherPlatform(locked))).toEqual([]);
    // They may become fewer: `node scripts/lock-digests.mjs` asks for them. None may be added.
    expect(lacking.length).toBeLessThanOrEqual(58);
  });

  it('knows the packages of every platform, so that all of them install from it', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile;
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(wanted).toContain('@deno/darwin-arm64');
    expect(wanted.filter((name) => !Object.hasOwn(packages, `node_modules/${name}`))).toEqual([]);
  });
});

interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Record<string, string>;
}

/** Whether a package is one of several for platforms, and not that of Linux with glibc on x64. */
function isOfAnotherPlatform({ optional, os, cpu, libc }: LockedPackage): boolean {
  const isHere = [os ?? ['linux'], cpu ?? ['x64'], libc ?? ['glibc']].every((names, index) =>
    names.includes(String(['linux', 'x64', 'glibc'][index])),
  );
  return optional === true && !isHere;
}
