import { isRecord } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import {
  contextExceededError,
  rootMessageOf,
  saysTooLong,
  streamCutError,
} from '../model-errors.ts';
import { overloadRemedy, requestedWaitMs } from '../retry-after.ts';

/** The HTTP status for a service's name of an error: an error within a stream has no status. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['permission_error', 403],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['service_unavailable', 503],
  ['overloaded_error', 529],
]);

const OVERLOAD_STATUSES: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

/** The error that a service reported. */
interface ServiceError {
  readonly status: number | undefined;
  readonly type: unknown;
  readonly code: unknown;
  readonly requestId: unknown;
  /** How long to wait before a retry, as the service requested. */
  readonly retryAfterMs: number | undefined;
  readonly reason: string;
}

/**
 * Translates an error of the client, from before the first chunk of an answer or (`streaming`)
 * after it.
 */
export function toModelError(thrown: unknown, model: string, streaming: boolean): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  const error = serviceErrorOf(thrown);
  if (error !== undefined) return fromService(error, model, thrown, streaming);
  if (streaming) return streamCutError(model, thrown);
  const reason = sentence(rootMessageOf(thrown));
  const options = { cause: thrown, details: { model } };
  // The client has no error class for a missing key.
  if (/^Missing credentials|authentication method/.test(reason)) {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      `There is no key for ${model}. Set OPENAI_API_KEY, or pass apiKey. If the service needs no key, use any text.`,
      options,
    );
  }
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The service of ${model} could not be reached: ${reason} Check the network and the base URL.`,
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
  const options = { cause, details: { model, ...facts, retriedByClient: !streaming } };
  const status = error.status ?? STATUSES.get(error.code) ?? STATUSES.get(error.type);
  if (status === 401) {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      `The service of ${model} refused the key: ${reason} Set OPENAI_API_KEY, or pass apiKey, to a valid key.`,
      options,
    );
  }
  if (status === 403) {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      `The service does not let this key use ${model}: ${reason} Set OPENAI_API_KEY, or pass apiKey, to a key with permission.`,
      options,
    );
  }
  // An account without credit is also refused with 429, and waiting does not help it.
  if (OVERLOAD_STATUSES.has(status) && error.code !== 'insufficient_quota') {
    return new PtcError(
      'MODEL_OVERLOADED',
      `The service of ${model} is over its limits: ${reason} ${overloadRemedy(error.retryAfterMs)}`,
      options,
    );
  }
  if (error.code === 'context_length_exceeded' || saysTooLong(reason)) {
    return contextExceededError(model, reason, options);
  }
  return new PtcError('MODEL_REQUEST_FAILED', `The request to ${model} failed: ${reason}`, options);
}

/**
 * Checks the fields of the client's errors and not their class: the client that was passed may come
 * from another copy of the package, and this package may have none installed.
 */
function serviceErrorOf(thrown: unknown): ServiceError | undefined {
  if (!isRecord(thrown)) return undefined;
  const { status, error, type, code, requestID, headers } = thrown;
  // The client's connection errors have neither.
  if (typeof status !== 'number' && (error === undefined || error === null)) return undefined;
  return {
    status: typeof status === 'number' ? status : statusOf(code),
    type,
    code,
    requestId: requestID ?? undefined,
    retryAfterMs: requestedWaitMs(headers),
    reason: sentence(reasonOf(error) ?? rootMessageOf(thrown)),
  };
}

/** Some services return the status as the error's code, also within a stream. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}

function reasonOf(error: unknown): string | undefined {
  const reason = isRecord(error) ? error['message'] : error;
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}
