import { isRecord } from '../../shared/guards.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import {
  contextExceededError,
  rootMessageOf,
  saysTooLong,
  streamCutError,
} from '../model-errors.ts';
import { overloadRemedy, requestedWaitMs } from '../retry-after.ts';

const OVERLOAD_STATUSES: ReadonlySet<unknown> = new Set([429, 529]);

/** An error within a stream has a type but no status. */
const OVERLOAD_TYPES: ReadonlySet<unknown> = new Set(['overloaded_error', 'rate_limit_error']);

/** The error that the service reported. */
interface ServiceError {
  readonly status: number | undefined;
  readonly type: unknown;
  readonly requestId: unknown;
  /** How long to wait before a retry, as the service requested. */
  readonly retryAfterMs: number | undefined;
  readonly reason: string;
}

/**
 * Translates an error of the client, from before the first event of an answer or (`streaming`)
 * after it.
 */
export function toModelError(thrown: unknown, model: string, streaming: boolean): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  const error = serviceErrorOf(thrown);
  if (error !== undefined) return fromService(error, model, thrown, streaming);
  if (streaming) return streamCutError(model, thrown);
  const reason = messageOf(thrown);
  const options = { cause: thrown, details: { model } };
  if (isConnectionError(thrown)) {
    return new PtcError(
      'MODEL_REQUEST_FAILED',
      `The Anthropic API could not be reached: ${sentence(rootMessageOf(thrown))} Check the network and the base URL.`,
      options,
    );
  }
  // The client has no error class for a missing key.
  if (reason.includes('authentication method')) {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      'There is no key for the Anthropic API. Set ANTHROPIC_API_KEY, or pass apiKey.',
      options,
    );
  }
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The request to ${model} could not be made: ${reason}`,
    options,
  );
}

function fromService(
  error: ServiceError,
  model: string,
  cause: unknown,
  streaming: boolean,
): PtcError {
  const { reason, ...facts } = error;
  const { status, type, retryAfterMs } = facts;
  const options = { cause, details: { model, ...facts, retriedByClient: !streaming } };
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
      `The Anthropic API does not let this key use ${model}: ${reason} Set ANTHROPIC_API_KEY, or pass apiKey, to a key with permission.`,
      options,
    );
  }
  if (OVERLOAD_STATUSES.has(status) || OVERLOAD_TYPES.has(type)) {
    return new PtcError(
      'MODEL_OVERLOADED',
      `The Anthropic API is over its limits: ${reason} ${overloadRemedy(retryAfterMs)}`,
      options,
    );
  }
  if (type === 'request_too_large' || saysTooLong(reason)) {
    return contextExceededError(model, reason, options);
  }
  return new PtcError('MODEL_REQUEST_FAILED', `The request to ${model} failed: ${reason}`, options);
}

/**
 * Checks the fields of the client's errors and not their class: the client that was passed may come
 * from another version of the package. The service's own message is in the body, which every
 * version keeps.
 */
function serviceErrorOf(thrown: unknown): ServiceError | undefined {
  if (!isRecord(thrown)) return undefined;
  const { status, error: body, requestID, headers } = thrown;
  // The client's connection errors have neither.
  if (typeof status !== 'number' && (body === undefined || body === null)) return undefined;
  const said = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
  const { type, message } = said;
  return {
    status: typeof status === 'number' ? status : undefined,
    type: type ?? undefined,
    requestId: requestID ?? undefined,
    retryAfterMs: requestedWaitMs(headers),
    reason: sentence(typeof message === 'string' && message !== '' ? message : messageOf(thrown)),
  };
}

/** The client's connection errors have these fields, but without values. */
function isConnectionError(thrown: unknown): boolean {
  return isRecord(thrown) && 'status' in thrown && 'requestID' in thrown;
}
