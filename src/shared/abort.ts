import { PtcError } from './errors.ts';

/**
 * Waits for `result` or the signal, whichever is first.
 * @throws PtcError `ABORTED`
 */
export async function unlessAborted<Result>(
  result: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return result;
  const listening = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(abortError(signal));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { signal: listening.signal });
  });
  try {
    return await Promise.race([aborted, result]);
  } finally {
    listening.abort();
  }
}

/** Waits for the work, or no longer than the signal lets it. */
export async function untilAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort);
    work.then(() => resolve(), reject).finally(() => signal?.removeEventListener('abort', onAbort));
  });
}

/** @throws PtcError `ABORTED` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

function abortError(signal: AbortSignal): PtcError {
  const message = 'The sandbox was not started: the caller aborted.';
  return new PtcError('ABORTED', message, { cause: signal.reason });
}
