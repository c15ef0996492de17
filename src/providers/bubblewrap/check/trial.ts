import type { Readable } from 'node:stream';
import { messageOf } from '../../../shared/errors.ts';
import { type Launcher, startBwrap } from '../start/bwrap-process.ts';

const TIMEOUT_MS = 10_000;

/** The most bytes that a trial may print. The snapshot of Node is the longest output. */
const MOST_OUTPUT_BYTES = 128 * 2 ** 20;
/** How much of its messages is kept. */
const MOST_ERROR_BYTES = 64 * 1024;

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
  /** What it printed on standard output. */
  readonly output: string;
  /** What it printed on standard error, such as warnings. Why it failed, if it did not start. */
  readonly errors: string;
  readonly works: boolean;
}

/** All that a trial printed, to explain its failure. */
export function printedBy({ output, errors }: TrialResult): string {
  return `${output}\n${errors}`.trim();
}

/**
 * Runs a launcher and the sandbox that it becomes, if any, to the end. Returns the output and whether
 * it succeeded. One with too much output is ended, and fails. Never throws.
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
    let isWhole = true;
    const output = collect(stdout, MOST_OUTPUT_BYTES, () => {
      isWhole = false;
      end();
    });
    const errors = collect(stderr, MOST_ERROR_BYTES, () => {});
    const { status } = await spawned.closed;
    await ended;
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    return { output: output(), errors: errors(), works: status === 0 && isWhole };
  } catch (error) {
    return { output: '', errors: messageOf(error), works: false };
  }
}

/**
 * Collects what a stream has, as a text.
 * @param onTooMuch - Called when it has more than `mostBytes`, of which the rest is dropped.
 */
function collect(stream: Readable, mostBytes: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > mostBytes) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}
