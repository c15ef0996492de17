import { onAbort } from '../shared/async/on-abort.ts';
import type { ToolContext } from './tool.ts';

/** What tells when a call is aborted. */
export interface CallEnd {
  /** As `ToolContext.signal`. */
  readonly signal: AbortSignal;
  /** As `onCallAbort`. */
  onAbort(listener: (reason: unknown) => void): () => void;
}

/** By which the context of a call has what tells its end. */
export const CALL_END: unique symbol = Symbol('callEnd');

/** A context that needs no signal to say that its call is aborted. */
export interface AbortableContext {
  readonly [CALL_END]?: CallEnd;
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
  const end = context[CALL_END];
  if (end !== undefined) return end.onAbort(listener);
  const { signal } = context;
  if (signal.aborted) listener(signal.reason);
  return onAbort(signal, () => listener(signal.reason));
}
