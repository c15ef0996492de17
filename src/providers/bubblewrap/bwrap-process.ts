import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { FILTER_DESCRIPTOR, PROGRAM_PATH } from './bwrap-arguments.ts';

/** How long a sandbox whose input has ended may take to end by itself. */
const SELF_END_MS = 300;
/** How long the end of a killed one is waited for. */
const KILL_PATIENCE_MS = 5000;

/** A sandbox as this process sees it: `bwrap`, whose child is process 1 of the sandbox. */
export interface BwrapProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when it has ended and all of its output was read. Never rejects. */
  readonly ended: Promise<void>;
  /**
   * Ends it and returns when all of it is gone; of one whose supervisor did not heed the end of its input, when the
   * kernel is about to end the last of it. Never throws.
   */
  end(): Promise<void>;
}

/**
 * Starts a sandbox.
 * @param inputs - What is read on its descriptors from 3 on: first the filter of its system calls.
 * @param userId - Whom it runs as on the machine, where this process may choose: where it is root's.
 * @throws PtcError `SANDBOX_START_FAILED`
 */
export async function startBwrap(
  [file = '', ...args]: readonly string[],
  inputs: readonly Buffer[],
  userId: number,
): Promise<BwrapProcess> {
  const child = await startChild(file, args, inputs.length, userId);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (const [index, input] of inputs.entries()) {
    const stream = child.stdio[FILTER_DESCRIPTOR + index];
    if (!(stream instanceof Writable)) continue;
    // Where it ended before it read all; its end says so itself.
    stream.on('error', () => {});
    stream.end(input);
  }
  return { child, ended, end: async () => end(child, ended) };
}

async function startChild(
  file: string,
  args: readonly string[],
  inputCount: number,
  userId: number,
): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = spawn(file, args, {
      env: { PATH: PROGRAM_PATH },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', ...Array.from({ length: inputCount }, () => 'pipe' as const)],
      // Not of the terminal's group: an interrupt there is the host's to answer.
      detached: true,
      // Root here would be root in all that the sandbox's namespaces do not cover. Node drops the other groups too.
      ...(process.getuid?.() === 0 && { uid: userId, gid: userId }),
    });
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const message = `${file} did not start: ${messageOf(cause)}`;
    throw new PtcError('SANDBOX_START_FAILED', message, { cause });
  }
}

async function end(child: ChildProcessWithoutNullStreams, ended: Promise<void>): Promise<void> {
  // The supervisor ends everything when its input ends, and `bwrap` when the kernel has seen to that.
  child.stdin.destroy();
  // Nobody may be reading any more, and the end is only told when the output has been read.
  child.stdout.resume();
  child.stderr.resume();
  if (await settles(ended, SELF_END_MS)) return;
  // With `bwrap` the kernel ends process 1 of the sandbox, and with that all others.
  child.kill('SIGKILL');
  await settles(ended, KILL_PATIENCE_MS);
}

async function settles(promise: Promise<void>, patienceMs: number): Promise<boolean> {
  const { promise: patience, stop } = delay(patienceMs);
  const settled = await Promise.race([promise.then(() => true), patience]);
  stop();
  return settled;
}

function delay(durationMs: number): { promise: Promise<false>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), durationMs);
  });
  return { promise, stop: () => clearTimeout(timer) };
}
