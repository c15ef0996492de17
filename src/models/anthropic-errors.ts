import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { messageOf, PtcError } from '../shared/errors.ts';
import { rootMessageOf, sentence, streamCutError } from './model-errors.ts';
import { overloadRemedy, requestedWaitMs } from './retry-after.ts';

/** Translates what the client threw, before the first event of an answer or (`streaming`) after it. */
export function toModelError(thrown: unknown, model: string, streaming: boolean): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  if (thrown instanceof APIError && !(thrown instanceof APIConnectionError)) {
    return fromService(thrown, model);
  }
  if (streaming) return streamCutError(model, thrown);
  const reason = messageOf(thrown);
  if (thrown instanceof APIConnectionError) {
    return new PtcError(
      'MODEL_REQUEST_FAILED',
      `The Anthropic API could not be reached: ${sentence(rootMessageOf(thrown))} Check the network and the base URL.`,
      { cause: thrown, details: { model } },
    );
  }
  // The client has no class of its own for a missing key.
  if (reason.includes('authentication method')) {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      'There is no key for the Anthropic API. Set ANTHROPIC_API_KEY, or pass apiKey.',
      { cause: thrown, details: { model } },
    );
  }
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The request to ${model} could not be made: ${reason}`,
    { cause: thrown, details: { model } },
  );
}

function fromService(error: APIError, model: string): PtcError {
  const { status, type } = error;
  const retryAfterMs = requestedWaitMs(error.headers);
  const options = {
    cause: error,
    details: { model, status, type, requestId: error.requestID ?? undefined, retryAfterMs },
  };
  const reason = sentence(error.apiMessage ?? error.message);
  if (status === 401 || type === 'authentication_error') {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      `The Anthropic API refused the key: ${reason} Set ANTHROPIC_API_KEY, or pass apiKey, to a valid key.`,
      options,
    );
  }
  if (status === 403 || type === 'permission_error') {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      `The Anthropic API does not let this key use ${model}: ${reason} Set ANTHROPIC_API_KEY, or pass apiKey, to a key that may.`,
      options,
    );
  }
  if (isOverload(error)) {
    return new PtcError(
      'MODEL_OVERLOADED',
      `The Anthropic API is over its limits: ${reason} ${overloadRemedy(retryAfterMs)}`,
      options,
    );
  }
  return new PtcError('MODEL_REQUEST_FAILED', `The request to ${model} failed: ${reason}`, options);
}

/** An error in mid-stream has a type and no status. */
function isOverload({ status, type }: APIError): boolean {
  return (
    status === 429 || status === 529 || type === 'overloaded_error' || type === 'rate_limit_error'
  );
}
