import { isRecord } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import type { PtcErrorCode } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import { meaningOf, type ErrorMeaning } from '../shared/error-meaning.ts';
import { contextExceededError, rootMessageOf, streamCutError } from '../model-errors.ts';

const NO_ACCESS = {
  code: 'MODEL_AUTHENTICATION_FAILED',
  remedy:
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK to credentials with permission to use the model.',
} as const;

const FAILURES: Readonly<
  Record<Exclude<ErrorMeaning, 'too-long'>, { readonly code: PtcErrorCode; remedy?: string }>
> = {
  'no-access': NO_ACCESS,
  'no-permission': NO_ACCESS,
  overloaded: { code: 'MODEL_OVERLOADED', remedy: 'Try again later.' },
  failed: { code: 'MODEL_REQUEST_FAILED' },
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
  const reason = sentence(rootMessageOf(thrown));
  const meaning = meaningOf([name, status], reason);
  // The client reads the first event before it returns the stream.
  const begun = streaming || status === 200;
  const details = { model, name, status, requestId, retriedByClient: !begun };
  // The service's own errors are exceptions; all others are errors of the connection.
  const isOfConnection = begun && !name.endsWith('Exception');
  if (isOfConnection && (meaning === 'failed' || meaning === 'too-long')) {
    return streamCutError(model, thrown);
  }
  if (meaning === 'too-long')
    return contextExceededError(model, reason, { cause: thrown, details });
  const { code, remedy } = FAILURES[meaning];
  const advice = reason.includes('Region is missing') ? 'Set AWS_REGION, or pass region.' : remedy;
  const what = `The request to ${model} on Amazon Bedrock failed (${name}): ${reason}`;
  return new PtcError(code, advice === undefined ? what : `${what} ${advice}`, {
    cause: thrown,
    details,
  });
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
