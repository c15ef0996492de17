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

/**
 * Waits for the work, or no longer than the signal lets it. What the work comes to after that is nobody's affair: if it
 * rejects then, also if the signal had fired before, the rejection is ignored.
 * @throws what the work rejects with before the signal fires.
 */
export async function untilAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => resolve();
    signal?.addEventListener('abort', onAbort);
    // Also if the signal has fired: a rejection without a handler would end the process.
    work.then(() => resolve(), reject).finally(() => signal?.removeEventListener('abort', onAbort));
    if (signal?.aborted === true) resolve();
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
