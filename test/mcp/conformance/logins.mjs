import { auth } from '@modelcontextprotocol/client';
import { UserLogin } from '../../../dist/mcp/client/auth/user-login.js';

/** Nobody listens there: the authorization servers of the suite send the person back at once. */
const REDIRECT_URL = 'http://127.0.0.1:1/callback';

/** Goes to the authorization server as a person does. @returns the query with which the person comes back. */
async function visit(url) {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').searchParams;
}

/** The login of the command line, but its tokens stay in memory. @param clientId - If this program is registered. */
export async function commandLineLogin(clientId) {
  let kept;
  const store = {
    read: async () => kept,
    write: async (next) => {
      kept = next;
    },
    alone: async (work) => work(),
  };
  const login = await UserLogin.open(store, clientId);
  const { signal } = new AbortController();
  return {
    auth: { provider: login },
    logIn: () => login.logIn({ redirectUrl: REDIRECT_URL, state: 'any', visit, signal }),
  };
}

/** A login by a provider, as docs/mcp.md describes it. @param registered - The registration, if there is one. */
export function providerLogin(serverUrl, registered) {
  const provider = new Provider(registered);
  return {
    auth: { provider },
    logIn: async () => {
      const query = await visit(provider.visited);
      const [authorizationCode, iss] = [query.get('code'), query.get('iss') ?? undefined];
      await auth(provider, { serverUrl, authorizationCode, ...(iss && { iss }) });
    },
  };
}

/** Keeps everything in memory. The client says by `issuer` for which authorization server it is. */
class Provider {
  redirectUrl = REDIRECT_URL;
  clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  clientMetadata = {
    client_name: 'sandboxed-ptc',
    redirect_uris: [REDIRECT_URL],
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'native',
  };
  visited;
  #client;
  #tokens;
  #verifier;
  #discovery;

  constructor(registered) {
    this.#client = registered;
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens) {
    this.#tokens = tokens;
    // The server may have another authorization server by the next login.
    this.#discovery = undefined;
  }
  redirectToAuthorization(url) {
    this.visited = url;
  }
  saveCodeVerifier(verifier) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveDiscoveryState(state) {
    this.#discovery = state;
  }
  discoveryState() {
    return this.#discovery;
  }
}
