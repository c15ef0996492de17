import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSoftware, SoftwareVersion } from '../../sandbox/software/software.ts';
import { isRecord } from '../../shared/guards.ts';
import { readOwnFiles } from '../../shared/installation.ts';
import type { EmbeddedPackages } from './embedded-packages.ts';

/** The software of its sandboxes, which the packages of Deno and Pyodide decide, and the wheels. */
export async function embeddedSoftware(
  { denoVersion, pyodideDirectory }: EmbeddedPackages,
  libraries: readonly SoftwareVersion[],
): Promise<SandboxSoftware> {
  const text = await readOwnFiles(async () =>
    readFile(join(pyodideDirectory, 'pyodide-lock.json'), 'utf8'),
  );
  const { info }: { readonly info?: unknown } = JSON.parse(text);
  const version = isRecord(info) ? String(info['python']) : 'unknown';
  const javascript = { name: 'Deno', version: denoVersion, libraries: [], files: false };
  return {
    python: { name: 'Python', version, libraries },
    typescript: javascript,
    javascript,
  };
}
