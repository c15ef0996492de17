import { messageOf, PtcError, type PtcErrorOptions } from '../shared/errors.ts';

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

/**
 * What services say of a request that is too long; most have no code for it. The Claude models by themselves and on Bedrock,
 * Bedrock for other models, OpenAI and vLLM, llama.cpp, LM Studio, Gemini's endpoint for OpenAI's protocol.
 */
const TOO_LONG =
  /prompt is too long|input is too long|exceed context limit|too many total text bytes|maximum context length|available context size|context (?:window|length)|input token count .* exceeds/i;

/** Whether a service's own words are that the conversation is longer than its model can read. */
export function saysTooLong(reason: string): boolean {
  return TOO_LONG.test(reason);
}

/** The conversation is longer than the model can read. */
export function contextExceededError(
  modelId: string,
  reason: string,
  options: PtcErrorOptions,
): PtcError {
  const message = `The conversation is longer than ${modelId} can read: ${reason} ${CONTEXT_REMEDY}`;
  return new PtcError('MODEL_CONTEXT_EXCEEDED', message, options);
}

/** The message of the first cause: a connection's errors say "fetch failed" and keep the reason inside. */
export function rootMessageOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause instanceof Error
    ? rootMessageOf(thrown.cause)
    : messageOf(thrown);
}
