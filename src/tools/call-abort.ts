import { onAbort } from '../shared/async/on-abort.ts';
import type { ToolContext } from './tool.ts';

/** By which the context of a call takes a listener for its end. */
export const ON_CALL_ABORT: unique symbol = Symbol('onCallAbort');

/** A context that needs no signal to say that its call is aborted. */
export interface AbortableContext {
  readonly [ON_CALL_ABORT]?: (listener: (reason: unknown) => void) => () => void;
}

/**
 * Calls a function once with the reason if the call is aborted, and returns a function that prevents
 * that. The signal of the context says the same, but to make one takes longer than all else that the
 * host does for a short call.
 * @param listener - Must not throw. It is the only one of this call.
 */
export function onCallAbort(
  context: ToolContext & AbortableContext,
  listener: (reason: unknown) => void,
): () => void {
  const listen = context[ON_CALL_ABORT];
  if (listen !== undefined) return listen(listener);
  const { signal } = context;
  if (signal.aborted) listener(signal.reason);
  return onAbort(signal, () => listener(signal.reason));
}
