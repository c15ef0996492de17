import { given } from '../../../shared/given.ts';
import { loadClient } from '../load-client.ts';
import type { McpClientCredentials, McpRefusal, McpTokenProvider } from './auth-options.ts';
import { NoAuthorizationServerError, readChallenge } from './challenge.ts';
import { assertSendableToken } from './sendable-token.ts';

/**
 * Gets a token when the server refuses the last one, or the first request. That is also when a token
 * has expired. The token stays in the memory of this process.
 */
export function clientCredentials(credentials: McpClientCredentials): McpTokenProvider {
  let token: string | undefined;
  let getting: Promise<string> | undefined;
  return {
    token: () => Promise.resolve(token),
    onUnauthorized: async (refusal) => {
      // All requests that were refused at once wait for the same token.
      getting ??= getToken(credentials, refusal).finally(() => (getting = undefined));
      token = await getting;
    },
  };
}

/** @throws errors of the official client, which `loginProblem` explains. */
async function getToken(
  { issuer, clientId, clientSecret, scope }: McpClientCredentials,
  refusal: McpRefusal,
): Promise<string> {
  const { ClientCredentialsProvider, discoverAuthorizationServerMetadata, fetchToken } =
    await loadClient(async () => import('@modelcontextprotocol/client'));
  const { fetchFn } = refusal;
  // The scope that the server asks for does not count: it must not choose what the token allows.
  const { resource } = await readChallenge(refusal);
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
  if (metadata === undefined) throw new NoAuthorizationServerError();
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    expectedIssuer: metadata.issuer,
  });
  const tokens = await fetchToken(provider, issuer, {
    fetchFn,
    metadata,
    resource,
    ...given({ scope }),
  });
  assertSendableToken(tokens.access_token);
  return tokens.access_token;
}
