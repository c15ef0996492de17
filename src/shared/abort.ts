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

/** @throws PtcError `ABORTED` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

function abortError(signal: AbortSignal): PtcError {
  const message = 'The sandbox was not started: the caller aborted.';
  return new PtcError('ABORTED', message, { cause: signal.reason });
}
