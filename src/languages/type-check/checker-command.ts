import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN_HEAP_MEBIBYTES } from './shared/memory-limits.ts';

/** How the compiler's process is started. */
export interface CheckerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All its environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** The directory of this package, from `src` and from `dist`. */
const PACKAGE_DIRECTORY = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The command that starts the compiler's process. Node's permission model lets it read this package
 * and the compiler's package. It cannot write files, start processes or load addons.
 */
export function checkerCommand(): CheckerCommand {
  // The extension of this file: TypeScript in tests, JavaScript in the package.
  const main = new URL(`./compiler/checker-main${extname(import.meta.url)}`, import.meta.url);
  const { platform, execPath } = process;
  const systemRoot = process.env['SystemRoot'];
  return {
    file: execPath,
    args: [
      permissionModel(process.versions.node),
      '--allow-worker',
      ...readable().map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${MAIN_HEAP_MEBIBYTES}`,
      '--no-warnings',
      fileURLToPath(main),
    ],
    // V8 aborts a process whose heap is full, and the kernel would write its core file here. In
    // /proc, it cannot.
    cwd: platform === 'linux' ? '/proc' : '/',
    env: platform === 'win32' && systemRoot !== undefined ? { SystemRoot: systemRoot } : {},
  };
}

/** The option is no longer experimental since Node 22.13 and 23.5. */
export function permissionModel(version: string): '--permission' | '--experimental-permission' {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNamed = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return isNamed ? '--permission' : '--experimental-permission';
}

/**
 * The directories that Node must read to import the compiler: where it is, and the path that finds
 * it, which differs if a package manager links to it. None of them is inside another one, because
 * Node 20 fails then.
 */
function readable(): string[] {
  const require = createRequire(import.meta.url);
  const found = (require.resolve.paths('typescript') ?? [])
    .map((path) => join(path, 'typescript', '/'))
    .filter((path) => existsSync(path));
  const compiler = join(dirname(require.resolve('typescript/package.json')), '/');
  const directories = [...new Set([PACKAGE_DIRECTORY, compiler, ...found])];
  return directories.filter((path) =>
    directories.every((other) => other === path || !path.startsWith(other)),
  );
}
