/** Longest time for which a service may put a request off before it is sent again. */
export const LONGEST_WAIT_MS = 60_000;

/**
 * `fetch` for the clients of model services. They wait for as long as a service tells them to, were it
 * weeks; where that is more than a minute, the answer is marked as final, so that it comes out as an
 * error that says how long to wait.
 */
export async function patientFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  const waitMs = requestedWaitMs(response.headers);
  if (response.ok || waitMs === undefined || waitMs <= LONGEST_WAIT_MS) return response;
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  // What both clients ask before they try again.
  headers.set('x-should-retry', 'false');
  return new Response(body, { status, statusText, headers });
}

/** For how long a service says to wait, in milliseconds; undefined where it says nothing that can be read. */
export function requestedWaitMs(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const inMs = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(inMs)) return inMs;
  const after = headers.get('retry-after') ?? '';
  const inSeconds = Number.parseFloat(after);
  const waitMs = Number.isNaN(inSeconds) ? Date.parse(after) - Date.now() : inSeconds * 1000;
  return Number.isNaN(waitMs) ? undefined : waitMs;
}

/** What to do about an overload, after the service's own words. */
export function overloadRemedy(waitMs: number | undefined): string {
  return waitMs !== undefined && waitMs > LONGEST_WAIT_MS
    ? `Try again in ${Math.ceil(waitMs / 1000)} s, as the service asks.`
    : 'Try again later, or raise maxRetries.';
}
