import { PtcError } from '../errors.ts';
import { onAbort } from './on-abort.ts';

/**
 * Waits for `result` or for the signal, whichever is first.
 * @throws PtcError `ABORTED` if the signal fires first.
 */
export async function unlessAborted<Result>(
  result: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return result;
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(abortError(signal));
    if (signal.aborted) stop();
    else stopListening = onAbort(signal, stop);
  });
  try {
    return await Promise.race([aborted, result]);
  } finally {
    stopListening();
  }
}

/**
 * Waits until `work` settles or the signal fires, whichever is first. A rejection of `work` after
 * the signal has fired is ignored.
 * @throws what `work` rejects with before the signal fires.
 */
export async function untilAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stopListening = signal && onAbort(signal, () => resolve());
    // Attached even if the signal has fired: a rejection without a handler would end the process.
    work.then(() => resolve(), reject).finally(stopListening);
    if (signal?.aborted === true) resolve();
  });
}

/** @throws PtcError `ABORTED` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

function abortError(signal: AbortSignal): PtcError {
  const message = 'The start of the sandbox was aborted by the signal that was passed.';
  return new PtcError('ABORTED', message, { cause: signal.reason });
}
