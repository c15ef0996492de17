import { PtcError } from '../shared/errors.ts';
import { sentence } from '../shared/sentence.ts';
import {
  contextExceededError,
  rootMessageOf,
  saysTooLong,
  streamCutError,
} from './model-errors.ts';
import { overloadRemedy, requestedWaitMs } from './retry-after.ts';

/** The HTTP status that a service's word for an error stands for: an error in mid-stream has none. */
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

/** What a service says went wrong. */
interface ServiceError {
  readonly status: number | undefined;
  readonly type: unknown;
  readonly code: unknown;
  readonly requestId: unknown;
  /** For how long it says to wait. */
  readonly retryAfterMs: number | undefined;
  readonly reason: string;
}

/** Translates what the client threw, before the first chunk of an answer or (`streaming`) after it. */
export function toModelError(thrown: unknown, model: string, streaming: boolean): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  const error = serviceErrorOf(thrown);
  if (error !== undefined) return fromService(error, model, thrown, streaming);
  if (streaming) return streamCutError(model, thrown);
  const reason = sentence(rootMessageOf(thrown));
  const options = { cause: thrown, details: { model } };
  // The client has no class of its own for a missing key.
  if (/^Missing credentials|authentication method/.test(reason)) {
    return new PtcError(
      'MODEL_AUTHENTICATION_FAILED',
      `There is no key for ${model}. Set OPENAI_API_KEY, or pass apiKey; where the service needs none, any text will do.`,
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
      `The service does not let this key use ${model}: ${reason} Set OPENAI_API_KEY, or pass apiKey, to a key that may.`,
      options,
    );
  }
  // An account without credit is refused with 429 too, and waiting does not help it.
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
 * Goes by the fields of the client's errors and not by their class: a client that was passed in may come
 * from another copy of the package, and none may be installed beside it.
 */
function serviceErrorOf(thrown: unknown): ServiceError | undefined {
  if (!isRecord(thrown)) return undefined;
  const { status, error, type, code, requestID, headers } = thrown;
  // The client's errors about the connection have neither.
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

/** Some services give the status as the error's code, in mid-stream too. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}

function reasonOf(error: unknown): string | undefined {
  const reason = isRecord(error) ? error['message'] : error;
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
