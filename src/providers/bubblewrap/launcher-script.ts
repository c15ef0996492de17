import { FILTER_DESCRIPTOR, FIRST_FILE_DESCRIPTOR } from './bwrap-arguments.ts';

/** The descriptor on which what runs in the sandbox is handed the runner's codes. */
const CODES_DESCRIPTOR = FILTER_DESCRIPTOR + 1;

/**
 * The descriptor that becomes the sandbox's standard input; its launcher's are the scripts that it is told. Here are
 * those that a shell has to name, of one digit each.
 */
export const STDIN_DESCRIPTOR: number = CODES_DESCRIPTOR + 1;

/** The descriptors on which a launcher enters its control group, as far as it has as many hierarchies. */
export const ENTRANCE_DESCRIPTORS: readonly number[] = [6, 7, 8];

/** On which descriptor an input of a sandbox is read: first the filter, then the codes, then files. */
export function inputDescriptor(index: number): number {
  return [FILTER_DESCRIPTOR, CODES_DESCRIPTOR][index] ?? FIRST_FILE_DESCRIPTOR + index - 2;
}

/**
 * A shell that makes a sandbox when it is told how. It is in a mount namespace of the host's user, for `bwrap` itself
 * can bound neither entries nor the starting of programs; there it is root, which outside is who started it.
 */
export const LAUNCHER: readonly string[] = [
  ...['unshare', '--user', '--map-root-user', '--mount', '--'],
  ...['/bin/sh', '-s'],
];

/**
 * Has a launcher do all that need not wait for the sandbox: enter its control group, and with it all that it will start,
 * and make the one file system that the sandbox may write to.
 * @param entrances - How many files the first takes.
 * @param temporaryFileSystem - As the function of this name gives it.
 */
export function prepareScript(entrances: number, temporaryFileSystem: string): string {
  const descriptors = ENTRANCE_DESCRIPTORS.slice(0, entrances);
  return [
    // The shell itself writes: 0 is who does.
    ...descriptors.map((each) => `echo 0 >&${each} || exit`),
    ...descriptors.map((each) => `exec ${each}>&-`),
    'echo 500 > /proc/self/oom_score_adj',
    `mount -t tmpfs -o ${temporaryFileSystem} sandbox /tmp || exit`,
    '',
  ].join('\n');
}

/** Has a launcher become a sandbox. @param command - As `bwrapCommand` gives it. */
export function startScript(command: readonly string[]): string {
  const quoted = command.map((argument) => `'${argument.replaceAll("'", String.raw`'\''`)}'`);
  return `exec ${quoted.join(' ')} <&${STDIN_DESCRIPTOR} ${STDIN_DESCRIPTOR}<&-\n`;
}
