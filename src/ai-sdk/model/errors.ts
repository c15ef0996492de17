import { isRecord } from '../../shared/guards.ts';
import { PtcError, type PtcErrorCode } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import { showValue } from '../../shared/show-value.ts';
import { meaningOf } from '../../models/shared/error-meaning.ts';
import { contextExceededError, rootMessageOf, streamCutError } from '../../models/model-errors.ts';
import { overloadRemedy, waitMsIn } from '../../models/retry-after.ts';
import { StreamedError } from './answer.ts';

/** What an error of a provider says. Any field may be missing. */
interface ServiceError {
  /** That of a failure. */
  readonly status: number | undefined;
  /** Whether the service had accepted the request. */
  readonly hasBegun: boolean;
  readonly type: unknown;
  readonly code: unknown;
  readonly reason: string;
  /** Whether a retry may help, as the AI SDK judges. */
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
}

/**
 * Translates an error of a provider of the AI SDK, from before the first part of an answer or
 * (`streaming`) after it.
 */
export function toSdkError(thrown: unknown, model: string, streaming: boolean): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  const isStreamed = thrown instanceof StreamedError;
  const cause: unknown = isStreamed ? thrown.cause : thrown;
  const error = serviceErrorOf(cause);
  // What breaks a stream is the connection, unless the service says something.
  const says = error.status ?? error.type ?? error.code;
  if ((streaming || error.hasBegun) && says === undefined) return streamCutError(model, cause);
  const { reason, hasBegun: _hasBegun, ...facts } = error;
  const { status, type, code, isRetryable, retryAfterMs } = facts;
  const details = {
    model,
    status,
    type,
    code,
    retryAfterMs,
    // Nothing retries before the run does. A run retries only if this is false.
    ...((isRetryable || isStreamed) && { retriedByClient: false }),
  };
  const options = { cause, details };
  const failure = (what: PtcErrorCode, how: string, remedy = ''): PtcError =>
    new PtcError(what, `The request to ${model} ${how}: ${reason} ${remedy}`.trimEnd(), options);
  if (isMissingKey(thrown)) {
    return failure('MODEL_AUTHENTICATION_FAILED', 'could not be made');
  }
  switch (meaningOf([code === 'insufficient_quota' ? undefined : status, code, type], reason)) {
    case 'no-access':
    case 'no-permission':
      return failure(
        'MODEL_AUTHENTICATION_FAILED',
        'was refused',
        'Give the provider of the AI SDK a key that may use the model.',
      );
    case 'overloaded':
      return failure(
        'MODEL_OVERLOADED',
        'came while its service was over its limits',
        overloadRemedy(retryAfterMs),
      );
    case 'too-long':
      return contextExceededError(model, reason, options);
    default:
      return failure('MODEL_REQUEST_FAILED', 'failed');
  }
}

/** An error class of the AI SDK is known by its name: there may be several copies of it. */
function isMissingKey(thrown: unknown): boolean {
  return isRecord(thrown) && thrown['name'] === 'AI_LoadAPIKeyError';
}

function serviceErrorOf(thrown: unknown): ServiceError {
  const error = isRecord(thrown) ? thrown : {};
  const { statusCode, responseHeaders, data, isRetryable } = error;
  // In a stream, some providers pass on the body of the service's error. Errors of Node have codes too.
  const body = isRecord(data) ? data : thrown instanceof Error ? {} : error;
  const said = isRecord(body['error']) ? body['error'] : body;
  const { type, code, message } = said;
  const isAccepted = statusCode === 200;
  return {
    status: isAccepted || typeof statusCode !== 'number' ? undefined : statusCode,
    hasBegun: isAccepted,
    type: type ?? undefined,
    code: code ?? undefined,
    reason: sentence(typeof message === 'string' && message !== '' ? message : textOf(thrown)),
    isRetryable: isRetryable === true,
    retryAfterMs: isRecord(responseHeaders)
      ? waitMsIn((name) => headerOf(responseHeaders, name))
      : undefined,
  };
}

/** Not read with `Headers`, which throws if the name or value of any header is not allowed in HTTP. */
function headerOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : undefined;
}

function textOf(thrown: unknown): string {
  if (!isRecord(thrown) || thrown instanceof Error) return rootMessageOf(thrown);
  try {
    // All of it, because its text may be all that says that the conversation is too long.
    return JSON.stringify(thrown) ?? showValue(thrown);
  } catch {
    return showValue(thrown);
  }
}
