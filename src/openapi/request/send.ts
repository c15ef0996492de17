import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { OpenApiRequest } from './build-request.ts';

const MAXIMUM_REDIRECTS = 5;

/**
 * Sends a request. Redirects of GET and HEAD are followed as long as they stay with its origin: what
 * is secret in the request must not reach another one. Those of other methods are not, because they
 * would let the service choose which of its operations changes something.
 * @throws ToolCallFailure `Unavailable` if the service cannot be reached, `Failed` for a redirect that
 * is not followed, and what aborts the signal.
 */
export async function send(request: OpenApiRequest, signal: AbortSignal): Promise<Response> {
  const { method, headers, body = null } = request;
  let { url } = request;
  for (let hops = 0; ; hops++) {
    const response = await fetchOnce(url, { method, headers, body, signal });
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    // Otherwise its connection would stay open.
    await response.body?.cancel().catch(() => {});
    if (method !== 'GET' && method !== 'HEAD') {
      throw failed(
        `answered ${response.status}, a redirect, which is not followed for ${method}, so it is unknown whether it carried the call out`,
      );
    }
    if (hops === MAXIMUM_REDIRECTS) throw failed(`redirected more than ${MAXIMUM_REDIRECTS} times`);
    url = sameOrigin(location, url);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function sameOrigin(location: string, from: URL): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined) throw failed('redirected to an address that cannot be read');
  if (url.origin !== from.origin) {
    // Its name is not told: it can have the credentials in it.
    throw failed(`redirected to another origin than ${from.origin}, which is not followed`);
  }
  // Otherwise `fetch` would refuse it with its text.
  url.username = '';
  url.password = '';
  return url;
}

async function fetchOnce(
  url: URL,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    init.signal.throwIfAborted();
    throw unavailable(url, 'cannot be reached', error);
  }
}

/** The failure of a call without a whole answer. */
export function unavailable(
  { origin }: URL,
  what: 'cannot be reached' | 'broke off its answer',
  cause: unknown,
): ToolCallFailure {
  const message = `the service at ${origin} ${what}, so it is unknown whether it carried the call out; try again later`;
  return new ToolCallFailure('Unavailable', message, { cause });
}

function failed(what: string): ToolCallFailure {
  return new ToolCallFailure('Failed', `the service ${what}`);
}
