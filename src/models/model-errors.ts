import { messageOf, PtcError, type PtcErrorOptions } from '../shared/errors.ts';

/** The caller's signal aborted the request. */
export function abortedError(signal: AbortSignal): PtcError {
  return new PtcError('ABORTED', 'The request to the model was aborted by its caller.', {
    cause: signal.reason,
  });
}

/**
 * The answer ended early. What has arrived must not be used, because a tool call in it may be
 * incomplete.
 */
export function streamCutError(modelId: string, cause?: unknown): PtcError {
  return new PtcError(
    'MODEL_STREAM_CUT',
    `The connection to ${modelId} ended before its answer was complete. No part of the answer was run. Send the request again.`,
    { cause, details: { model: modelId } },
  );
}

/**
 * The adapter returned without the last part of an answer. Those of this package throw
 * `streamCutError` themselves, so this is one of the application.
 */
export function noEndError(modelId: string): PtcError {
  return new PtcError(
    'MODEL_STREAM_CUT',
    `The stream of ${modelId} ended without the part answer-ended, so its answer is not complete. No part of the answer was run. If you wrote this model: yield a part of the type answer-ended last. See docs/models.md.`,
    { details: { model: modelId } },
  );
}

/** What to do about a conversation that does not fit the model's context window. */
export const CONTEXT_REMEDY =
  'Start a new conversation, let tools and programs return less text, or use a model with a larger context window.';

/**
 * The error messages of services for a request that is too long; most have no code for it. Sources:
 * the Claude models directly and on Bedrock, other models on Bedrock, OpenAI and vLLM, llama.cpp,
 * LM Studio, Gemini's endpoint for OpenAI's protocol.
 */
const TOO_LONG =
  /prompt is too long|input is too long|exceed context limit|too many total text bytes|maximum context length|available context size|context (?:window|length)|input token count .{0,40} exceeds/i;

/**
 * Whether the error message of a service says that the conversation does not fit the context
 * window.
 */
export function saysTooLong(reason: string): boolean {
  return TOO_LONG.test(reason);
}

/** The conversation does not fit the model's context window. */
export function contextExceededError(
  modelId: string,
  reason: string,
  options: PtcErrorOptions,
): PtcError {
  const message = `The conversation is longer than ${modelId} can read: ${reason} ${CONTEXT_REMEDY}`;
  return new PtcError('MODEL_CONTEXT_EXCEEDED', message, options);
}

const MAX_CAUSES = 100;

/**
 * The message of the root cause: connection errors say only "fetch failed" and have the reason in
 * their cause.
 */
export function rootMessageOf(thrown: unknown): string {
  let root = thrown;
  // An error can be among its own causes.
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    if (!(root instanceof Error && root.cause instanceof Error)) break;
    root = root.cause;
  }
  return messageOf(root);
}
