import { messageOf, PtcError } from '../shared/errors.ts';

/** The caller's signal ended the request. */
export function abortedError(signal: AbortSignal): PtcError {
  return new PtcError('ABORTED', 'The request to the model was aborted by its caller.', {
    cause: signal.reason,
  });
}

/** The answer ended early. What came of it must not be used: a tool call in it may be half of one. */
export function streamCutError(modelId: string, cause?: unknown): PtcError {
  return new PtcError(
    'MODEL_STREAM_CUT',
    `The connection to ${modelId} ended before its answer was complete. Nothing of the answer was run; ask again.`,
    { cause, details: { model: modelId } },
  );
}

/** What to do about a conversation that is longer than its model can read. */
export const CONTEXT_REMEDY =
  'Begin a new conversation, let tools and programs give back less text, or use a model with a larger context window.';

/** A service's own words, as a sentence that others can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The message of the first cause: a connection's errors say "fetch failed" and keep the reason inside. */
export function rootMessageOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause instanceof Error
    ? rootMessageOf(thrown.cause)
    : messageOf(thrown);
}
