import { saysTooLong } from '../model-errors.ts';

/** What an error of a service means for its caller. */
export type ErrorMeaning = 'no-access' | 'no-permission' | 'overloaded' | 'too-long' | 'failed';

/** HTTP statuses and the services' names of errors. Names do not mean different things. */
const MEANINGS: ReadonlyMap<unknown, ErrorMeaning> = new Map(
  Object.entries({
    'no-access': [
      401,
      'authentication_error',
      'invalid_api_key',
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
    ],
    'no-permission': [403, 'permission_error', 'AccessDeniedException'],
    overloaded: [
      429,
      503,
      529,
      'overloaded_error',
      'rate_limit_error',
      'rate_limit_exceeded',
      'service_unavailable',
      'ModelNotReadyException',
      'ModelTimeoutException',
      'ServiceQuotaExceededException',
      'ServiceUnavailableException',
      'ThrottlingException',
      'TooManyRequestsException',
    ],
    'too-long': ['request_too_large', 'context_length_exceeded'],
  } satisfies Partial<Record<ErrorMeaning, unknown[]>>).flatMap(([meaning, signs]) =>
    signs.map((sign) => [sign, meaning as ErrorMeaning] as const),
  ),
);

/**
 * @param signs - The error's status and names. The first one that is known decides.
 * @param reason - Its message, which alone says of most services that a request was too long.
 */
export function meaningOf(signs: readonly unknown[], reason: string): ErrorMeaning {
  const known = signs.find((sign) => MEANINGS.has(sign));
  return MEANINGS.get(known) ?? (saysTooLong(reason) ? 'too-long' : 'failed');
}
