import { messageOf } from '../../../shared/errors.ts';
import { type Launcher, startBwrap } from '../start/bwrap-process.ts';

const TIMEOUT_MS = 10_000;

/** Prints the version of Python, and fails if it is too old for the runner. */
export const TRIAL_COMMAND: readonly string[] = [
  'python3',
  '-I',
  '-S',
  '-c',
  'import sys\nprint("%d.%d.%d" % sys.version_info[:3])\nsys.exit(sys.version_info < (3, 9))',
];

/** In a trial, this takes the place of the runner's compiled modules. */
const NO_CODES = Buffer.alloc(0);

/** The result of a trial. */
export interface TrialResult {
  readonly output: string;
  readonly works: boolean;
}

/**
 * Runs a launcher and the sandbox that it becomes, if any, to the end. Returns the output and whether
 * it succeeded. Never throws.
 */
export async function runTrial(
  starting: Promise<Launcher>,
  signal?: AbortSignal,
): Promise<TrialResult> {
  try {
    const launcher = await starting;
    const { spawned, stdout, stderr, ended } = launcher;
    startBwrap(launcher, NO_CODES);
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
