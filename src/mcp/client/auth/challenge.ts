import { loadClient } from '../load-client.ts';
import type { McpRefusal } from './auth-options.ts';

/** What a server that refused a request says about its login. */
export interface Challenge {
  /** The first authorization server of the server. Older servers have theirs at their own origin. */
  readonly authorizationServer: string;
  /** For which resource a token has to be. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/**
 * Reads the header of a refusal, and the document about the resource, which older servers do not have.
 * @throws if the document is about another resource.
 */
export async function readChallenge({
  response,
  serverUrl,
  fetchFn,
}: McpRefusal): Promise<Challenge> {
  const sdk = await loadClient(async () => import('@modelcontextprotocol/client'));
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
  const options = resourceMetadataUrl && { resourceMetadataUrl };
  const document = await sdk
    .discoverOAuthProtectedResourceMetadata(serverUrl, options, fetchFn)
    .catch(() => undefined);
  const own = new URL('/', serverUrl).href;
  if (document === undefined) return { authorizationServer: own, resource: undefined, scope };
  const { resource, scopes_supported: scopes, authorization_servers: servers } = document;
  const requestedResource = sdk.resourceUrlFromServerUrl(serverUrl);
  if (!sdk.checkResourceAllowed({ requestedResource, configuredResource: resource })) {
    throw new ForeignResourceError();
  }
  return { authorizationServer: servers?.[0] ?? own, resource, scope: scope ?? scopes?.join(' ') };
}

/** A server says that it is another one, which could get a token that was made for that. */
class ForeignResourceError extends Error {
  override readonly name = 'ForeignResourceError';
}

/** There is no document about an authorization server at the address that was given. */
export class NoAuthorizationServerError extends Error {
  override readonly name = 'NoAuthorizationServerError';
}
