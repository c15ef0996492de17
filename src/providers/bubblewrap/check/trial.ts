import { messageOf } from '../../../shared/errors.ts';
import { type Launcher, leaveLauncher, startBwrap } from '../start/bwrap-process.ts';

const TIMEOUT_MS = 10_000;

/** Prints the version of Python, and fails if it is too old for the runner. */
export const TRIAL_COMMAND: readonly string[] = [
  'python3',
  '-I',
  '-S',
  '-c',
  'import sys\nprint("%d.%d.%d" % sys.version_info[:3])\nsys.exit(sys.version_info < (3, 9))',
];

/** The result of a trial. */
export interface TrialResult {
  readonly output: string;
  readonly works: boolean;
}

/**
 * Runs a sandbox to its end. Returns its output and whether it succeeded. Never throws.
 * @param command - From `bwrapCommand`.
 * @param inputs - As for `startBwrap`.
 */
export async function runTrial(
  starting: Promise<Launcher>,
  command: readonly string[],
  inputs: readonly Buffer[],
  signal?: AbortSignal,
): Promise<TrialResult> {
  return trying(starting, (launcher) => void startBwrap(launcher, command, inputs), signal);
}

/** Moves a launcher into its control group, without starting a sandbox. Never throws. */
export async function tryToEnter(starting: Promise<Launcher>): Promise<TrialResult> {
  return trying(starting, leaveLauncher);
}

async function trying(
  starting: Promise<Launcher>,
  start: (launcher: Launcher) => void,
  signal?: AbortSignal,
): Promise<TrialResult> {
  try {
    const launcher = await starting;
    const { spawned, stdout, stderr, ended } = launcher;
    start(launcher);
    const end = (): void => void launcher.end();
    const timer = setTimeout(end, TIMEOUT_MS);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    let output = '';
    const append = (chunk: Buffer): void => void (output += chunk.toString());
    stdout.on('data', append);
    stderr.on('data', append);
    const { status } = await spawned.closed;
    await ended;
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    return { output, works: status === 0 };
  } catch (error) {
    return { output: messageOf(error), works: false };
  }
}
