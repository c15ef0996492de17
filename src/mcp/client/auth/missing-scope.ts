import { hasMethod } from '../../../shared/guards.ts';
import { loadClient } from '../load-client.ts';
import type { McpOwnLogin, McpTokenProvider } from './auth-options.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A provider that is told of a scope that its token lacks. */
export type ScopedProvider = McpTokenProvider &
  Required<Pick<McpTokenProvider, 'onInsufficientScope'>>;

export function isScopedProvider(provider: McpOwnLogin['provider']): provider is ScopedProvider {
  return hasMethod(provider, 'token') && hasMethod(provider, 'onInsufficientScope');
}

/** A `fetch` that tells the provider if the server refuses a request because its token lacks a scope. */
export function tellingOfScope(fetchFn: Fetch, serverUrl: URL, provider: ScopedProvider): Fetch {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    if (response.status !== 403 || new URL(url).href !== serverUrl.href) return response;
    // The client gives a signal to each request but those of a login, which a server may want at its own address.
    // A provider that is renewing a login must not be told of them.
    if (!init?.signal) return response;
    const sdk = await loadClient(async () => import('@modelcontextprotocol/client'));
    if (sdk.extractWWWAuthenticateParams(response).error === 'insufficient_scope') {
      await provider.onInsufficientScope({ response, serverUrl, fetchFn });
    }
    return response;
  };
}

/** Longer texts would fill the place where a login is kept. */
const MAXIMUM_LENGTH = 2000;

/** All scopes of several lists that are separated by spaces, each once; undefined if there is none. */
export function allScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const names = lists.flatMap((list) => list?.split(/\s+/) ?? []).filter((name) => name !== '');
  return names.length === 0 ? undefined : [...new Set(names)].join(' ');
}

/** The scopes with which to log in again. @throws if the login had all of them, or they are too many. */
export function widerScope(had: string | undefined, missing: string | undefined): string {
  const scope = allScopes(had, missing);
  if (scope === undefined || scope === had || scope.length > MAXIMUM_LENGTH) {
    throw new ScopeRefusedError();
  }
  return scope;
}

/** The scopes that a login asked for and those that it got, unless those are too many to be kept. */
export function withGranted(
  asked: string | undefined,
  granted: string | undefined,
): string | undefined {
  const scope = allScopes(asked, granted);
  return scope !== undefined && scope.length > MAXIMUM_LENGTH ? asked : scope;
}

/** Another login would not help: a server refuses a request although its scopes were asked for. */
class ScopeRefusedError extends Error {
  override readonly name = 'ScopeRefusedError';
}
