/** The longest wait before a retry that a service may request. */
export const LONGEST_WAIT_MS = 60_000;

/**
 * A `fetch` for the clients of model services. The clients wait as long as a service requests, even
 * weeks. If that is more than a minute, this marks the response as final, so that it becomes an
 * error which says how long to wait.
 */
export async function fetchWithWaitLimit(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  const waitMs = requestedWaitMs(response.headers);
  if (response.ok || waitMs === undefined || waitMs <= LONGEST_WAIT_MS) return response;
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  // Both clients check this header before they retry.
  headers.set('x-should-retry', 'false');
  return new Response(body, { status, statusText, headers });
}

/** How long a service asks to wait, in milliseconds; undefined if it sends no valid value. */
export function requestedWaitMs(headers: unknown): number | undefined {
  return headers instanceof Headers ? waitMsIn((name) => headers.get(name)) : undefined;
}

/**
 * As `requestedWaitMs`, for headers in another form.
 * @param valueOf - The value of the header with a name in lower case.
 */
export function waitMsIn(valueOf: (name: string) => string | null | undefined): number | undefined {
  const inMs = Number.parseFloat(valueOf('retry-after-ms') ?? '');
  const after = valueOf('retry-after') ?? '';
  const inSeconds = Number.parseFloat(after);
  const afterMs = Number.isNaN(inSeconds) ? Date.parse(after) - Date.now() : inSeconds * 1000;
  // The clients take Retry-After instead of 0 ms.
  const waitMs = inMs || (Number.isNaN(afterMs) ? inMs : afterMs);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** What to do about an overload. It follows the service's own message. */
export function overloadRemedy(waitMs: number | undefined): string {
  return waitMs !== undefined && waitMs > LONGEST_WAIT_MS
    ? `Try again in ${Math.ceil(waitMs / 1000)} s, as the service asks.`
    : 'Try again later, or raise maxRetries.';
}
