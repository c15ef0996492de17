import type { IncomingMessage } from 'node:http';

const TOO_MANY_REQUESTS = 429;
/** A server that asks for more patience is not one that is busy for a moment. */
const LONGEST_WAIT_MS = 5000;

/**
 * How long to wait until a request is sent again, if the API server refused it because it has too
 * many at the moment. It did nothing for the request, so any may be sent again.
 */
export function retryAfterMs({ statusCode, headers }: IncomingMessage): number | undefined {
  if (statusCode !== TOO_MANY_REQUESTS) return undefined;
  const waitMs = /^\d{1,3}$/.test(headers['retry-after'] ?? '')
    ? Number(headers['retry-after']) * 1000
    : undefined;
  return waitMs !== undefined && waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}
