import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
}

const LOCKFILES = [
  'package-lock.json',
  'test/ai-sdk/version-7/package-lock.json',
  'test/examples/frameworks/package-lock.json',
  'test/mcp/clients/package-lock.json',
  'test/mcp/conformance/package-lock.json',
  'test/package/clients/package-lock.json',
];

describe.each(LOCKFILES)('%s', (path) => {
  it('names no registry, so that every machine asks its own', async () => {
    await expect(readFile(path, 'utf8')).resolves.not.toContain('"resolved"');
  });

  // If a digest is missing after an update: remove the entry of the package from the lockfile, and run
  // `npm install --package-lock-only` where the registry serves the packages of all platforms.
  it('has the digest of each package', async () => {
    const packages = await packagesOf(path);
    const lacking = Object.entries(packages).filter(
      ([name, { integrity }]) => name !== '' && !/^sha512-.{86}==$/.test(integrity ?? ''),
    );
    expect(lacking.map(([name]) => name)).toEqual([]);
  });
});

it('package-lock.json has the packages of every platform, so that all of them install from it', async () => {
  const packages = await packagesOf('package-lock.json');
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(wanted).toContain('@deno/darwin-arm64');
  expect(wanted.filter((name) => !Object.hasOwn(packages, `node_modules/${name}`))).toEqual([]);
});

async function packagesOf(path: string): Promise<Lockfile['packages']> {
  return (JSON.parse(await readFile(path, 'utf8')) as Lockfile).packages;
}
