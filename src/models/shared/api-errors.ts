import { isRecord } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import type { PtcErrorCode } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import { meaningOf } from './error-meaning.ts';
import { contextExceededError, rootMessageOf, streamCutError } from '../model-errors.ts';
import { overloadRemedy, requestedWaitMs } from '../retry-after.ts';

/** What a service says about a request that failed. */
export interface ApiError {
  readonly status: number | undefined;
  readonly type: unknown;
  readonly code: unknown;
  readonly requestId: unknown;
  /** How long to wait before a retry, as the service requested. */
  readonly retryAfterMs: number | undefined;
}

/** A service with an API key, whose client throws the errors of the Anthropic SDK or OpenAI's. */
export interface ApiService {
  /** The beginning of a sentence, such as `The Anthropic API`. */
  readonly title: string;
  /** The environment variable of its key. */
  readonly variable: string;
  /** What else the user can do if the key is missing. */
  readonly withoutKey?: string;
  /** What says the meaning of an error, as for `meaningOf`. */
  readonly signsOf: (error: ApiError) => readonly unknown[];
}

/**
 * Translates an error of the client, from before the first event of an answer or (`streaming`)
 * after it.
 */
export function toApiError(
  thrown: unknown,
  model: string,
  streaming: boolean,
  service: ApiService,
): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  const error = apiErrorOf(thrown);
  if (error === undefined) {
    return streaming ? streamCutError(model, thrown) : clientError(thrown, model, service);
  }
  const { reason, ...facts } = error;
  const { title, variable } = service;
  const options = { cause: thrown, details: { model, ...facts, retriedByClient: !streaming } };
  const failure = (code: PtcErrorCode, what: string, remedy?: string): PtcError =>
    new PtcError(code, [`${what}: ${reason}`, remedy].filter(Boolean).join(' '), options);
  switch (meaningOf(service.signsOf(facts), reason)) {
    case 'no-access':
      return failure(
        'MODEL_AUTHENTICATION_FAILED',
        `${title} refused the key`,
        `Set ${variable}, or pass apiKey, to a valid key.`,
      );
    case 'no-permission':
      return failure(
        'MODEL_AUTHENTICATION_FAILED',
        `${title} does not let this key use ${model}`,
        `Set ${variable}, or pass apiKey, to a key with permission.`,
      );
    case 'overloaded':
      return failure(
        'MODEL_OVERLOADED',
        `${title} is over its limits`,
        overloadRemedy(facts.retryAfterMs),
      );
    case 'too-long':
      return contextExceededError(model, reason, options);
    default:
      return failure('MODEL_REQUEST_FAILED', `The request to ${model} failed`);
  }
}

/** An error of the client that is not the service's. */
function clientError(thrown: unknown, model: string, service: ApiService): PtcError {
  const { title, variable, withoutKey } = service;
  const reason = sentence(rootMessageOf(thrown));
  const options = { cause: thrown, details: { model } };
  // The clients have no error class for a missing key.
  if (/^Missing credentials|authentication method/.test(reason)) {
    const remedy = [`Set ${variable}, or pass apiKey.`, withoutKey].filter(Boolean).join(' ');
    const message = `There is no key for ${model}. ${remedy}`;
    return new PtcError('MODEL_AUTHENTICATION_FAILED', message, options);
  }
  // Connection errors have these fields, but without values.
  if (isRecord(thrown) && 'status' in thrown && 'requestID' in thrown) {
    const message = `${title} could not be reached: ${reason} Check the network and the base URL.`;
    const details = { model, retriedByClient: true };
    return new PtcError('MODEL_REQUEST_FAILED', message, { cause: thrown, details });
  }
  const message = `The request to ${model} could not be made: ${reason}`;
  return new PtcError('MODEL_REQUEST_FAILED', message, options);
}

/**
 * Checks the fields of the clients' errors and not their class: the client that was passed may come
 * from another version of the package. The service's own message is in the body, which every
 * version keeps.
 */
function apiErrorOf(thrown: unknown): (ApiError & { readonly reason: string }) | undefined {
  if (!isRecord(thrown)) return undefined;
  const { status, error: body, requestID, headers } = thrown;
  // Connection errors have neither.
  if (typeof status !== 'number' && (body === undefined || body === null)) return undefined;
  // The client of Anthropic keeps the whole body; that of OpenAI keeps the error in it.
  const said = isRecord(body) && isRecord(body['error']) ? body['error'] : body;
  const { type, code, message } = isRecord(said) ? said : { message: said };
  return {
    status: typeof status === 'number' ? status : statusOf(code),
    type: type ?? undefined,
    code: code ?? undefined,
    requestId: requestID ?? undefined,
    retryAfterMs: requestedWaitMs(headers),
    reason: sentence(typeof message === 'string' && message ? message : rootMessageOf(thrown)),
  };
}

/** Some services return the status as the error's code, also within a stream. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}
