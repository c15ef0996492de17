import { messageOf } from '../../shared/errors.ts';
import { startBwrap } from './bwrap-process.ts';

const TIMEOUT_MS = 10_000;

/** Says its version, and fails where that is too old for the runner. */
export const TRIAL_COMMAND: readonly string[] = [
  'python3',
  '-I',
  '-S',
  '-c',
  'import sys\nprint("%d.%d.%d" % sys.version_info[:3])\nsys.exit(sys.version_info < (3, 9))',
];

/**
 * Runs a sandbox to its end, and gives what it printed and whether it ended well. Never throws.
 * @param command - As `bwrapCommand` gives it.
 * @param inputs - As `startBwrap` takes them.
 */
export async function runTrial(
  command: readonly string[],
  inputs: readonly Buffer[],
  userId: number,
  signal?: AbortSignal,
): Promise<{ readonly output: string; readonly works: boolean }> {
  try {
    const bwrap = await startBwrap(command, inputs, userId);
    const { child, ended } = bwrap;
    const end = (): void => void bwrap.end();
    const timer = setTimeout(end, TIMEOUT_MS);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    let output = '';
    const append = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    await ended;
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    return { output, works: child.exitCode === 0 };
  } catch (error) {
    return { output: messageOf(error), works: false };
  }
}
