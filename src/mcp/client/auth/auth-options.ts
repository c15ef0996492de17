import { PtcError } from '../../../shared/errors.ts';
import { hasMethod } from '../../../shared/guards.ts';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { webAddress } from '../web-address.ts';

/** A login of this program itself, by OAuth client credentials, without a person. */
export interface McpClientCredentials {
  /**
   * The address of the authorization server, its `issuer`. The secret is sent to no other one,
   * whatever the MCP server says.
   */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Names of scopes, separated by spaces. No others are requested, whatever the MCP server asks for.
   * @default none, so that the authorization server decides
   */
  readonly scope?: string;
}

/** A login by a provider of your own. */
export interface McpOwnLogin {
  readonly provider: McpOAuthProvider | McpTokenProvider;
}

/** How to log in to a server that is reached by HTTP. */
export type McpAuth = McpClientCredentials | McpOwnLogin;

/**
 * The required part of `OAuthClientProvider` of `@modelcontextprotocol/client`, which describes it.
 * It is an interface of this package because that package need not be installed.
 */
export interface McpOAuthProvider {
  readonly redirectUrl: string | URL | undefined;
  readonly clientMetadata: object;
  clientInformation(context?: { issuer: string }): unknown;
  tokens(context?: { issuer: string }): unknown;
  saveTokens(tokens: object, context?: { issuer: string }): unknown;
  redirectToAuthorization(url: URL): unknown;
  saveCodeVerifier(verifier: string): unknown;
  codeVerifier(): string | Promise<string>;
}

/** `AuthProvider` of `@modelcontextprotocol/client`: returns the token that each request has. */
export interface McpTokenProvider {
  token(): Promise<string | undefined>;
  /** Called if the server refuses a token. The request is sent once more afterwards. */
  onUnauthorized?(context: McpRefusal): Promise<void>;
  /**
   * Called by this package if a token lacks a scope (403 `insufficient_scope`). The request fails
   * afterwards with `MCP_LOGIN_REQUIRED`, or the call of a program as one that needs a login.
   */
  onInsufficientScope?(context: McpRefusal): Promise<void>;
}

/** What `onUnauthorized` and `onInsufficientScope` get. */
export interface McpRefusal {
  readonly response: Response;
  readonly serverUrl: URL;
  readonly fetchFn: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

type AllOptions = McpOwnLogin & McpClientCredentials;

export const MCP_AUTH: OptionsObject<AllOptions> = {
  of: 'auth',
  names: { provider: true, issuer: true, clientId: true, clientSecret: true, scope: true },
  page: 'docs/mcp.md',
  otherWords: { secret: 'clientSecret', id: 'clientId', scopes: 'scope' },
};

/**
 * Checks the option `auth` of `mcpTools`. No message shows a value, which may be a secret.
 * @throws PtcError `OPTION_INVALID`
 */
export function checkAuth(auth: McpAuth): void {
  checkOptionNames(auth, MCP_AUTH);
  const { provider, ...credentials }: Partial<AllOptions> = auth;
  if (provider !== undefined) {
    const given = Object.entries(credentials).find(([, value]) => value !== undefined);
    if (given !== undefined) throw invalid(given[0], 'cannot be used with provider. Remove one');
    if (hasMethod(provider, 'token') || hasMethod(provider, 'tokens')) return;
    throw invalid(
      'provider',
      'must be an OAuthClientProvider or an AuthProvider of @modelcontextprotocol/client',
    );
  }
  for (const name of ['issuer', 'clientId', 'clientSecret', 'scope'] as const) {
    const value: unknown = credentials[name];
    if (name === 'scope' && value === undefined) continue;
    if (typeof value !== 'string' || value === '') throw invalid(name, 'must be a text');
  }
  if (webAddress(credentials.issuer) === undefined) {
    throw invalid('issuer', 'must be an address that begins with http:// or https://');
  }
}

function invalid(option: string, problem: string): PtcError {
  return new PtcError('OPTION_INVALID', `auth: ${option} ${problem}. See docs/mcp.md.`, {
    details: { option },
  });
}
