import type { OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import { given } from '../../../shared/given.ts';
import { boundedFetch } from '../connection/bounded-fetch.ts';
import { loadClient, ownName } from '../load-client.ts';
import { webAddress } from '../web-address.ts';
import type { McpRefusal, McpTokenProvider } from './auth-options.ts';
import { NoAuthorizationServerError, readChallenge, type Challenge } from './challenge.ts';
import type { KeptLogin, LoginStore } from './kept-login.ts';
import { allScopes, widerScope, withGranted } from './missing-scope.ts';
import { renewTokens } from './renew-tokens.ts';

/** How a person is sent to the authorization server. */
export interface LoginVisit {
  /** Where the person comes back. */
  readonly redirectUrl: string;
  /** Comes back with the person. Whoever receives it compares it. */
  readonly state: string;
  /** Sends the person there, and resolves to the query with which they come back. */
  readonly visit: (url: URL) => Promise<URLSearchParams>;
  readonly signal: AbortSignal;
}

const MAXIMUM_ANSWER = 2 ** 20;

/** The scope of a token that renews others, in OpenID Connect. */
const OFFLINE_ACCESS = 'offline_access';

/**
 * The login of a person, with the code flow and PKCE of OAuth. Tokens are sent only to the server and
 * the authorization server that they are for.
 */
export class UserLogin implements McpTokenProvider {
  readonly #store: LoginStore;
  readonly #clientId: string | undefined;
  #kept: KeptLogin | undefined;
  #challenge: Challenge | undefined;
  #renewing: Promise<void> | undefined;

  private constructor(store: LoginStore, clientId: string | undefined) {
    this.#store = store;
    this.#clientId = clientId;
  }

  /**
   * @param clientId - How this program is registered with the authorization server. @default it
   * registers itself
   * @throws what the store throws.
   */
  static async open(store: LoginStore, clientId?: string): Promise<UserLogin> {
    const login = new UserLogin(store, clientId);
    login.#kept = await login.#read();
    return login;
  }

  /** Whether the token lacks a scope that another login would ask for. */
  get lacksScope(): boolean {
    return this.#kept?.widerScope !== undefined;
  }

  token(): Promise<string | undefined> {
    return Promise.resolve(this.#kept?.accessToken);
  }

  /** @throws UserLoginNeeded if a person has to log in, and what `renewTokens` throws. */
  async onUnauthorized(refusal: McpRefusal): Promise<void> {
    // An authorization server may accept a token for renewal only once.
    this.#renewing ??= this.#renew(refusal).finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  /** Keeps which scopes the next login must ask for. @throws if this one has asked for them. */
  async onInsufficientScope(refusal: McpRefusal): Promise<void> {
    const challenge = await readChallenge(refusal);
    await this.#store.alone(async () => this.#keepChallenge(challenge));
  }

  /**
   * Registers this program, unless it is registered, sends a person to the authorization server that
   * the refused request led to, and keeps the tokens.
   * @throws errors of the official client, and what `visit` and the store throw.
   */
  async logIn({ redirectUrl, state, visit, signal }: LoginVisit): Promise<void> {
    const sdk = await loadClient(async () => import('@modelcontextprotocol/client'));
    const kept = this.#kept;
    const { authorizationServer: issuer = kept?.issuer ?? '', resource = kept?.resource } =
      this.#challenge ?? {};
    // What the token allows until now must not be lost.
    const needed = allScopes(kept?.widerScope ?? kept?.scope, this.#challenge?.scope);
    const fetchFn = boundedFetch(MAXIMUM_ANSWER, signal);
    const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (metadata === undefined) throw new NoAuthorizationServerError();
    // Some give a token for renewal only with this scope. One that does not name it may refuse it.
    const isOffered = metadata.scopes_supported?.includes(OFFLINE_ACCESS) === true;
    const scope = needed && isOffered ? allScopes(needed, OFFLINE_ACCESS) : needed;
    const register = async (): Promise<KeptLogin['client']> => {
      if (metadata.registration_endpoint === undefined) throw new NoRegistrationError();
      const clientMetadata = clientMetadataOf(redirectUrl);
      const options = { metadata, clientMetadata, fetchFn, ...given({ scope }) };
      const { client_id, client_secret } = await sdk.registerClient(issuer, options);
      return { client_id, ...given({ client_secret }) };
    };
    const client = this.#clientId === undefined ? await register() : { client_id: this.#clientId };
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl,
      state,
      ...given({ scope, resource }),
    });
    if (webAddress(authorizationUrl) === undefined) throw new NoAuthorizationServerError();
    const query = await visit(authorizationUrl);
    const code = query.get('code');
    if (code === null) throw new LoginRefused(query.get('error'));
    const tokens = await sdk.exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      fetchFn,
      ...given({ iss: query.get('iss') ?? undefined, resource }),
    });
    await this.#store.alone(async () => this.#keep({ issuer, client, resource, scope }, tokens));
  }

  /** The login that is kept, unless it is that of another client. */
  async #read(): Promise<KeptLogin | undefined> {
    const kept = await this.#store.read();
    const isOther = this.#clientId !== undefined && kept?.client.client_id !== this.#clientId;
    return isOther ? undefined : kept;
  }

  /** Keeps which scopes the next login must ask for, unless a person has logged in meanwhile. */
  async #keepChallenge({ scope, ...challenge }: Challenge): Promise<void> {
    const refused = this.#kept?.accessToken;
    const kept = await this.#read();
    this.#kept = kept;
    // The next request has the token that is kept now, which may allow it.
    if (kept?.accessToken !== refused) return;
    const wider = widerScope(kept?.scope, allScopes(kept?.widerScope, scope));
    this.#challenge = { ...challenge, scope: wider };
    if (kept === undefined) return;
    this.#kept = { ...kept, widerScope: wider };
    await this.#store.write(this.#kept);
  }

  async #renew(refusal: McpRefusal): Promise<void> {
    if (await this.#store.alone(async () => this.#renewAlone(refusal))) return;
    this.#challenge = await readChallenge(refusal);
    throw new UserLoginNeeded();
  }

  /** Whether there is a token that the server may accept. If not, a person has to log in. */
  async #renewAlone(refusal: McpRefusal): Promise<boolean> {
    const refused = this.#kept?.accessToken;
    this.#kept = await this.#read();
    const kept = this.#kept;
    if (kept === undefined) return false;
    // Another process may have renewed it, so long ago that its token has expired, too.
    if (kept.accessToken !== refused && (await isAccepted(kept.accessToken, refusal))) return true;
    if (kept.refreshToken === undefined) return false;
    const tokens = await renewTokens(kept, refusal.fetchFn);
    if (tokens !== undefined) {
      await this.#keep(kept, tokens);
      return true;
    }
    // A process on another machine may have renewed it at the same time, with the token that works only once.
    this.#kept = await this.#read();
    return this.#kept !== undefined && this.#kept.accessToken !== kept.accessToken;
  }

  async #keep(
    of: Omit<KeptLogin, 'accessToken'>,
    { access_token: accessToken, refresh_token: refreshToken, scope }: OAuthTokens,
  ): Promise<void> {
    // The authorization server may grant more than this program asked for.
    this.#kept = { ...of, scope: withGranted(of.scope, scope), accessToken, refreshToken };
    await this.#store.write(this.#kept);
  }
}

/** Whether the server accepts a token. A request that does nothing tells it. */
async function isAccepted(token: string, { serverUrl, fetchFn }: McpRefusal): Promise<boolean> {
  const response = await fetchFn(serverUrl, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'login', method: 'ping' }),
  });
  // Its connection would stay open.
  await response.body?.cancel();
  return response.status !== 401;
}

/** How this program describes itself to an authorization server. */
function clientMetadataOf(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: ownName().name,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
}

/** As the official client calls it, for `loginProblem`. */
class UserLoginNeeded extends Error {
  override readonly name = 'UnauthorizedError';
}

/** As the official client calls it if a registration is refused. */
class NoRegistrationError extends Error {
  override readonly name = 'RegistrationRejectedError';
}

/** As the official client calls what an authorization server refuses. */
class LoginRefused extends Error {
  override readonly name = 'OAuthError';
  readonly code: string | null;

  constructor(code: string | null) {
    super();
    this.code = code;
  }
}
