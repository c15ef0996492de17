import { isRecord } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import type { PtcErrorCode } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import {
  contextExceededError,
  rootMessageOf,
  saysTooLong,
  streamCutError,
} from '../model-errors.ts';

const AUTHENTICATION_ERRORS: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'NotAuthorized',
  'SignatureDoesNotMatch',
  'TokenProviderError',
  'UnrecognizedClientException',
]);

const OVERLOAD_ERRORS: ReadonlySet<string> = new Set([
  'ModelNotReadyException',
  'ModelTimeoutException',
  'ServiceQuotaExceededException',
  'ServiceUnavailableException',
  'ThrottlingException',
  'TooManyRequestsException',
]);

const OVERLOAD_STATUSES: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

const REMEDIES: Partial<Record<PtcErrorCode, string>> = {
  MODEL_AUTHENTICATION_FAILED:
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK to credentials with permission to use the model.',
  MODEL_OVERLOADED: 'Try again later.',
};

/** The common fields of the client's errors, if they have them. */
interface ServiceError {
  readonly name: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
}

/**
 * Translates an error of the client, from before the first event of an answer or (`streaming`)
 * after it.
 */
export function toModelError(thrown: unknown, model: string, streaming: boolean): PtcError {
  if (PtcError.isInstance(thrown)) return thrown;
  const { name, status, requestId } = describe(thrown);
  const code = codeOf(name, status);
  // The client reads the first event before it returns the stream.
  const begun = streaming || status === 200;
  // The service's own errors are exceptions; all others are errors of the connection.
  if (code === 'MODEL_REQUEST_FAILED' && begun && !name.endsWith('Exception')) {
    return streamCutError(model, thrown);
  }
  const reason = sentence(rootMessageOf(thrown));
  const details = { model, name, status, requestId, retriedByClient: !begun };
  if (code === 'MODEL_REQUEST_FAILED' && saysTooLong(reason)) {
    return contextExceededError(model, reason, { cause: thrown, details });
  }
  const remedy = reason.includes('Region is missing')
    ? 'Set AWS_REGION, or pass region.'
    : REMEDIES[code];
  const message = `The request to ${model} on Amazon Bedrock failed (${name}): ${reason}`;
  return new PtcError(code, remedy === undefined ? message : `${message} ${remedy}`, {
    cause: thrown,
    details,
  });
}

function codeOf(name: string, status: number | undefined): PtcErrorCode {
  if (AUTHENTICATION_ERRORS.has(name) || status === 401 || status === 403) {
    return 'MODEL_AUTHENTICATION_FAILED';
  }
  if (OVERLOAD_ERRORS.has(name) || OVERLOAD_STATUSES.has(status)) return 'MODEL_OVERLOADED';
  return 'MODEL_REQUEST_FAILED';
}

function describe(thrown: unknown): ServiceError {
  const error = isRecord(thrown) ? thrown : {};
  const metadata = isRecord(error['$metadata']) ? error['$metadata'] : {};
  const { httpStatusCode, requestId } = metadata;
  // If the service passes on a model's error, the model's status is more precise than its own.
  const status = error['originalStatusCode'] ?? httpStatusCode;
  const name = typeof error['name'] === 'string' ? error['name'] : 'Error';
  return {
    // Within a stream, the client uses the event's name for an exception that it does not know.
    name: name.charAt(0).toUpperCase() + name.slice(1),
    status: typeof status === 'number' ? status : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}
