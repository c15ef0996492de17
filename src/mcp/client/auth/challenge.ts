import { loadClient } from '../load-client.ts';
import type { McpRefusal } from './auth-options.ts';

/** What a server that refused a request says about its login. */
export interface Challenge {
  /** The authorization servers of the server. */
  readonly authorizationServers: readonly string[];
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
  if (document === undefined) {
    return { authorizationServers: [], resource: undefined, scope };
  }
  const { resource, scopes_supported: scopes, authorization_servers: servers = [] } = document;
  const requestedResource = sdk.resourceUrlFromServerUrl(serverUrl);
  if (!sdk.checkResourceAllowed({ requestedResource, configuredResource: resource })) {
    throw new ForeignResourceError();
  }
  return { authorizationServers: servers, resource, scope: scope ?? scopes?.join(' ') };
}

/** A server says that it is another one, which could get a token that was made for that. */
export class ForeignResourceError extends Error {
  override readonly name = 'ForeignResourceError';
}
