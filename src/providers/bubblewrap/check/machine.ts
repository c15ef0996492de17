import { lstat, readlink } from 'node:fs/promises';
import { MASKED_PATHS, READ_ONLY_PATHS } from '../../../sandbox/hidden-paths.ts';

/** The paths of this machine that sandboxes are made of. */
export interface Machine {
  /** Directories of the system that a sandbox sees. */
  readonly directories: readonly string[];
  /** Links to these directories, such as `/bin` if it is a link to `/usr/bin`. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Paths in `/etc` that a sandbox sees. */
  readonly configuration: readonly string[];
  /** Paths in `/proc` that are read-only, even if root starts the sandbox. */
  readonly readOnly: readonly string[];
  /** Paths in `/proc` that are hidden. */
  readonly masked: { readonly files: readonly string[]; readonly directories: readonly string[] };
  /** Whether `bwrap` supports `--disable-userns`. */
  readonly disablesUserNamespaces: boolean;
  /** Where programs find programs. @default `PROGRAM_PATH` */
  readonly programPath?: string;
}

/** Not all of `/usr`, because `/usr/src` often has applications with their secrets. */
const SYSTEM_PATHS = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share'].map(
    (name) => `/usr/${name}`,
  ),
  ...['bin', 'sbin', 'lib', 'lib64'].map((name) => `/usr/local/${name}`),
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].map((name) => `/${name}`),
];
const CONFIGURATION_PATHS = [
  '/etc/ld.so.cache',
  '/etc/alternatives',
  // Without these, Debian's matplotlib does not load, and warns about fonts.
  '/etc/matplotlibrc',
  '/etc/fonts',
];

/** Finds the paths on this machine. @param bwrapVersion - Such as `0.8.0`. */
export async function readMachine(bwrapVersion: string): Promise<Machine> {
  const hidden = MASKED_PATHS.filter((path) => path.startsWith('/proc/'));
  const [system, configuration, readOnly, masked] = await Promise.all(
    [SYSTEM_PATHS, CONFIGURATION_PATHS, READ_ONLY_PATHS, hidden].map(lookAt),
  );
  const ofKind = (paths: readonly FoundPath[] = [], kind: FoundPath['kind']): FoundPath[] =>
    paths.filter((found) => found.kind === kind);
  const pathsOf = (found: readonly FoundPath[]): string[] => found.map(({ path }) => path);
  return {
    directories: pathsOf(ofKind(system, 'directory')),
    links: ofKind(system, 'link').map(({ path, target }) => ({ path, target })),
    configuration: pathsOf(configuration ?? []),
    readOnly: pathsOf(readOnly ?? []),
    masked: {
      files: pathsOf(ofKind(masked, 'file')),
      directories: pathsOf(ofKind(masked, 'directory')),
    },
    disablesUserNamespaces: isAtLeast(bwrapVersion, [0, 8]),
  };
}

interface FoundPath {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  /** The target, if it is a link. */
  readonly target: string;
}

/** Returns the paths that exist. */
async function lookAt(paths: readonly string[]): Promise<FoundPath[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<FoundPath | undefined> => {
      try {
        const facts = await lstat(path);
        if (facts.isSymbolicLink()) return { path, kind: 'link', target: await readlink(path) };
        return { path, kind: facts.isDirectory() ? 'directory' : 'file', target: '' };
      } catch {
        return undefined;
      }
    }),
  );
  return found.filter((each) => each !== undefined);
}

/** Whether a version such as `5.14.0-503.el9` is at least this one. */
export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
