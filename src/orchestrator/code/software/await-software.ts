import { untilAborted } from '../../../shared/async/abort.ts';
import { AnySignal } from '../../../shared/async/any-signal.ts';
import type { Executor } from '../../../sessions/executor.ts';

/**
 * How long a model waits until the executor knows its software. To ask an image or a machine takes
 * less; to build an image takes longer.
 */
const WAIT_MS = 2000;

/**
 * Waits until the executor knows which software its sandboxes have, but not for long. The search
 * goes on afterwards: the first program needs the same image. Never throws.
 */
export async function awaitSoftware(executor: Executor, signal?: AbortSignal): Promise<void> {
  if (executor.software !== undefined || executor.findSoftware === undefined) return;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), WAIT_MS);
  using either = new AnySignal(signal, late.signal);
  // A program reports why no sandbox can be started, if the model writes one.
  const search = executor.findSoftware().catch(() => {});
  await untilAborted(search, either.signal);
  clearTimeout(timer);
}
