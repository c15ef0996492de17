import type PQueue from 'p-queue';

/**
 * Does work in its turn. The signal ends the waiting for the turn, and is the work's own affair afterwards.
 * @throws the signal's reason where it fires before the turn, and what the work throws.
 */
export async function inTurn<Result>(
  queue: PQueue,
  work: () => Promise<Result>,
  {
    signal,
    priority = 0,
  }: { readonly signal: AbortSignal | undefined; readonly priority?: number },
): Promise<Result> {
  if (signal === undefined) return queue.add(work, { priority });
  // The queue lets its own signal end work that is under way.
  const waiting = new AbortController();
  const onAbort = (): void => waiting.abort(signal.reason);
  const begin = async (): Promise<Result> => {
    signal.removeEventListener('abort', onAbort);
    return work();
  };
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await queue.add(begin, { priority, signal: waiting.signal });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
