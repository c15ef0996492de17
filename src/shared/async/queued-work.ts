import type PQueue from 'p-queue';

/**
 * Does work when the queue reaches it. The signal ends only the wait for the queue. The work must
 * handle the signal itself.
 * @throws the signal's reason if it fires before the work begins, and what the work throws.
 */
export async function runQueued<Result>(
  queue: PQueue,
  work: () => Promise<Result>,
  { signal }: { readonly signal: AbortSignal | undefined },
): Promise<Result> {
  if (signal === undefined) return queue.add(work);
  // The queue would apply a signal to work that has already begun, so it gets one of its own.
  const waiting = new AbortController();
  const onAbort = (): void => waiting.abort(signal.reason);
  const begin = async (): Promise<Result> => {
    signal.removeEventListener('abort', onAbort);
    return work();
  };
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await queue.add(begin, { signal: waiting.signal });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
