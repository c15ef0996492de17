import type { OAuthTokens } from '@modelcontextprotocol/client';
import { given } from '../../../shared/given.ts';
import { isRecord } from '../../../shared/guards.ts';
import { ToolCallFailure } from '../../../tools/tool-call-failure.ts';
import { loadClient } from '../load-client.ts';
import type { McpRefusal } from './auth-options.ts';
import type { KeptLogin } from './kept-login.ts';

/** The statuses below 500 of a server that does not answer now. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/** What an authorization server says if it does not answer now, whatever the status. */
const LATER_CODES: ReadonlySet<unknown> = new Set([
  'server_error',
  'temporarily_unavailable',
  'too_many_requests',
]);

/**
 * Asks the authorization server of a login for new tokens.
 * @returns undefined if it refuses: a person has to log in.
 * @throws RenewalFailedError if it does not answer now; errors of the official client if it is not
 * the one that it was.
 */
export async function renewTokens(
  { issuer, client, resource, refreshToken = '' }: KeptLogin,
  fetchFn: McpRefusal['fetchFn'],
): Promise<OAuthTokens | undefined> {
  const sdk = await loadClient(async () => import('@modelcontextprotocol/client'));
  let isFailing = false;
  const noting: typeof fetchFn = async (url, init) => {
    const response = await fetchFn(url, init);
    if (response.status >= 500 || LATER.has(response.status)) isFailing = true;
    return response;
  };
  try {
    const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: noting });
    if (metadata !== undefined) {
      // One of several addresses had the document.
      isFailing = false;
      return await sdk.refreshAuthorization(issuer, {
        metadata,
        clientInformation: client,
        refreshToken,
        fetchFn: noting,
        ...given({ resource }),
      });
    }
  } catch (error) {
    // The second: the connection was closed.
    if (error instanceof sdk.OAuthClientFlowError || error instanceof ToolCallFailure) throw error;
    const { name, code } = isRecord(error) ? error : {};
    if (name !== 'OAuthError' || LATER_CODES.has(code)) isFailing = true;
  }
  if (isFailing) throw new RenewalFailedError();
  return undefined;
}

/** An authorization server does not answer now, so the login may be renewed later. */
class RenewalFailedError extends Error {
  override readonly name = 'RenewalFailedError';
}
