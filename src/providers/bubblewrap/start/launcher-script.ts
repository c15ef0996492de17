import { FILTER_DESCRIPTOR } from './bwrap-arguments.ts';

/** The file descriptor from which the runner reads its compiled modules. */
export const CODES_DESCRIPTOR: number = FILTER_DESCRIPTOR + 1;

/**
 * The file descriptor that becomes the standard input of the sandbox. The launcher reads its
 * scripts from its own standard input. A shell can name only file descriptors of one digit, so
 * those that the script names are below 10.
 */
export const STDIN_DESCRIPTOR: number = CODES_DESCRIPTOR + 1;

/**
 * The file descriptors of the files by which a launcher enters its control group, one for each
 * hierarchy.
 */
export const ENTRY_DESCRIPTORS: readonly number[] = [6, 7, 8];

/**
 * A shell that becomes a sandbox when it gets its scripts. It runs in a mount namespace in which it
 * is root, and is the user of the host outside: it mounts `/tmp` there, because `bwrap` itself can
 * neither limit the number of entries nor forbid to execute files.
 */
export const LAUNCHER: readonly string[] = [
  ...['unshare', '--user', '--map-root-user', '--mount', '--'],
  ...['/bin/sh', '-s'],
];

/**
 * The script that does what can be done in advance: it enters the control group, in which
 * everything that the launcher starts then is, and mounts the only writable file system.
 * @param entryCount - The number of files by which it enters its control group.
 * @param temporaryFileSystem - From the function `temporaryFileSystem`.
 */
export function prepareScript(entryCount: number, temporaryFileSystem: string): string {
  const descriptors = ENTRY_DESCRIPTORS.slice(0, entryCount);
  return [
    // The shell itself writes; 0 stands for the process that writes.
    ...descriptors.map((each) => `echo 0 >&${each} || exit`),
    ...descriptors.map((each) => `exec ${each}>&-`),
    'echo 500 > /proc/self/oom_score_adj',
    `mount -t tmpfs -o ${temporaryFileSystem} sandbox /tmp || exit`,
    '',
  ].join('\n');
}

/** The script that makes a sandbox of a launcher. @param command - From `bwrapCommand`. */
export function startScript(command: readonly string[]): string {
  const quoted = command.map((argument) => `'${argument.replaceAll("'", String.raw`'\''`)}'`);
  return `exec ${quoted.join(' ')} <&${STDIN_DESCRIPTOR} ${STDIN_DESCRIPTOR}<&-\n`;
}
