import { PtcError } from '../../../shared/errors.ts';
import type { Command } from '../deno/deno-command.ts';
import { startDeno } from '../deno/deno-process.ts';
import { compactSnapshot } from './snapshot-format.ts';

/** It ends what hangs: it takes seconds, and minutes on a slow machine that is busy. */
const TIMEOUT_MS = 600_000;

/**
 * Starts Python from its files, which takes seconds, and copies its memory after it has imported
 * the modules that programs use most.
 * @param input - The first input of the supervisor, from `snapshotInput`.
 * @returns The compacted snapshot.
 * @throws PtcError `SANDBOX_START_FAILED`, with what the process printed instead.
 */
export async function makeSnapshot(
  command: Command,
  input: readonly Buffer[],
  signal: AbortSignal,
): Promise<Buffer> {
  const deno = await startDeno(command, input);
  const stop = (): void => void deno.kill();
  const timer = setTimeout(stop, TIMEOUT_MS);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const snapshot: Buffer[] = [];
  const printed: Buffer[] = [];
  deno.child.stdout.on('data', (chunk: Buffer) => snapshot.push(chunk));
  deno.child.stderr.on('data', (chunk: Buffer) => printed.push(chunk));
  await deno.ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  if (deno.child.exitCode === 0 && snapshot.length > 0)
    return compactSnapshot(Buffer.concat(snapshot));
  const reason = Buffer.concat(printed).toString('utf8').slice(0, 4096).trim();
  const end = deno.child.signalCode ?? `status ${deno.child.exitCode}`;
  throw new PtcError(
    'SANDBOX_START_FAILED',
    `The snapshot of Python could not be made: Deno ended with ${end}. It printed: ${reason}`,
    { details: { printed: reason } },
  );
}
