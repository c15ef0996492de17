import { PtcError } from '../errors.ts';
import { onAbort } from './on-abort.ts';

const START = 'The start of the sandbox';

/**
 * Waits for `result` or for the signal, whichever is first.
 * @param what - What is aborted, for the message of the error.
 * @throws PtcError `ABORTED` if the signal fires first.
 */
export async function unlessAborted<Result>(
  result: Promise<Result>,
  signal: AbortSignal | undefined,
  what: string = START,
): Promise<Result> {
  if (signal === undefined) return result;
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(abortError(signal, what));
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
export function throwIfAborted(signal: AbortSignal | undefined, what: string = START): void {
  if (signal?.aborted) throw abortError(signal, what);
}

function abortError(signal: AbortSignal, what: string): PtcError {
  const message = `${what} was aborted by the signal that was passed.`;
  return new PtcError('ABORTED', message, { cause: signal.reason });
}
