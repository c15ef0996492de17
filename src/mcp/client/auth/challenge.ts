import { loadClient } from '../load-client.ts';
import type { McpRefusal } from './auth-options.ts';

/** What a server that refused a request says about its login. */
export interface Challenge {
  /** The first authorization server of the server. Older servers have theirs at their own origin. */
  readonly authorizationServer: string;
  /** For which resource a token has to be. */
  readonly resource: string;
  readonly scope: string | undefined;
}

/**
 * Reads the header of a refusal, and the document about the resource, which older servers do not have.
 * @throws if the document is about another resource, or cannot be read although there is one.
 */
export async function readChallenge({
  response,
  serverUrl,
  fetchFn,
}: McpRefusal): Promise<Challenge> {
  const sdk = await loadClient(async () => import('@modelcontextprotocol/client'));
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
  const options = resourceMetadataUrl && { resourceMetadataUrl };
  let status: number | undefined;
  const noting: typeof fetchFn = async (url, init) => {
    status = undefined;
    const answer = await fetchFn(url, init);
    ({ status } = answer);
    return answer;
  };
  const document = await sdk
    .discoverOAuthProtectedResourceMetadata(serverUrl, options, noting)
    .catch((error: unknown) => {
      if (status === 404) return undefined;
      throw status === undefined ? error : new ResourceDocumentError();
    });
  const own = new URL('/', serverUrl).href;
  const requestedResource = sdk.resourceUrlFromServerUrl(serverUrl);
  if (document === undefined) {
    return { authorizationServer: own, resource: requestedResource.href, scope };
  }
  const { resource, scopes_supported: scopes, authorization_servers: servers } = document;
  if (!sdk.checkResourceAllowed({ requestedResource, configuredResource: resource })) {
    throw new ForeignResourceError();
  }
  return { authorizationServer: servers?.[0] ?? own, resource, scope: scope ?? scopes?.join(' ') };
}

/** A server does not say for which resource a token has to be, and where to log in. */
class ResourceDocumentError extends Error {
  override readonly name = 'ResourceDocumentError';
}

/** A server says that it is another one, which could get a token that was made for that. */
class ForeignResourceError extends Error {
  override readonly name = 'ForeignResourceError';
}

/** There is no document about an authorization server at the address that was given. */
export class NoAuthorizationServerError extends Error {
  override readonly name = 'NoAuthorizationServerError';
}
