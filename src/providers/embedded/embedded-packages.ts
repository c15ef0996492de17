import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The npm packages of Deno and Pyodide. */
export interface EmbeddedPackages {
  readonly denoPath: string;
  readonly denoVersion: string;
  readonly pyodideDirectory: string;
  readonly pyodideVersion: string;
}

export const REMEDY = 'Run: npm install deno pyodide';

/** Deno's package with the binary for each platform. */
const DENO_BINARY_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
  'win32-x64': '@deno/win32-x64',
  'win32-arm64': '@deno/win32-arm64',
};

/**
 * Finds the packages. The binary comes from the package of the platform, which is complete without
 * the install script of `deno`, because npm does not run that script without approval.
 * @param from - A file from whose directory the search begins. @default this file
 * @returns The packages, or why they cannot be used.
 */
export function findEmbeddedPackages(
  from: string | URL = import.meta.url,
): EmbeddedPackages | { readonly reason: string } {
  const platform = `${process.platform}-${process.arch}`;
  const binaryPackage = DENO_BINARY_PACKAGES[platform];
  if (binaryPackage === undefined)
    return { reason: `Deno does not support the platform ${platform}` };
  const deno = findPackage('deno', from);
  const pyodide = findPackage('pyodide', from);
  // Beside `deno` if npm installed it there; otherwise as `deno` itself would find it.
  const binary = deno && findPackage(binaryPackage, join(deno.directory, 'package.json'));
  const missing = [
    ['deno', deno] as const,
    ['pyodide', pyodide] as const,
    [binaryPackage, binary] as const,
  ].filter(([, found]) => found === undefined);
  if (deno === undefined || pyodide === undefined || binary === undefined) {
    if (deno && pyodide && isMusl())
      return { reason: 'Deno does not support musl, the C library of Alpine' };
    return { reason: `not installed: ${missing.map(([name]) => name).join(', ')}` };
  }
  const fileName = process.platform === 'win32' ? 'deno.exe' : 'deno';
  return {
    denoPath: join(binary.directory, fileName),
    denoVersion: deno.version,
    pyodideDirectory: pyodide.directory,
    pyodideVersion: pyodide.version,
  };
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report: { header?: { glibcVersionRuntime?: string } } = process.report.getReport();
  return report.header?.glibcVersionRuntime === undefined;
}

interface FoundPackage {
  readonly directory: string;
  readonly version: string;
}

function findPackage(name: string, from: string | URL): FoundPackage | undefined {
  let path: string;
  try {
    path = createRequire(from).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
  const { version }: { version?: unknown } = JSON.parse(readFileSync(path, 'utf8'));
  return { directory: dirname(path), version: String(version) };
}
