import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

const OWN_MANIFEST = '../../package.json';

/** The version of this package or of a dependency; undefined if it is not installed. */
export function packageVersion(name: string): string | undefined {
  try {
    const path = name === 'sandboxed-ptc' ? require.resolve(OWN_MANIFEST) : manifestOf(name);
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: string };
    return manifest.version;
  } catch {
    return undefined;
  }
}

/** Packages need not export their manifest, so this searches the module directories. */
function manifestOf(name: string): string {
  const places = require.resolve.paths(name) ?? [];
  const paths = places.map((directory) => join(directory, name, 'package.json'));
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}
