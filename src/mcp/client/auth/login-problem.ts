import { PtcError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { McpHttpServer, McpServer } from '../mcp-server.ts';
import { oauthCode } from './login-answer.ts';
import { isScopedProvider } from './missing-scope.ts';

/** Why a login did not succeed. */
export interface LoginProblem {
  /** What happened and what to do: sentences without any text of a server, which may quote a secret. */
  readonly text: string;
  /** Whether a person has to log in. */
  readonly needsUser: boolean;
}

/** The problem, if an error of the client is about a login. Otherwise undefined. */
export function loginProblem(error: unknown, server: McpServer): LoginProblem | undefined {
  if (!('url' in server)) return undefined;
  const { name, code, status } = isRecord(error) ? error : {};
  if (name === 'UnauthorizedError' && hasProvider(server)) {
    return { text: 'it needs a login. Log in, then connect again.', needsUser: true };
  }
  if (name === 'InsufficientScopeError' && hasScopedProvider(server)) {
    return { text: 'its token lacks a scope. Log in again, then connect again.', needsUser: true };
  }
  const text = textOf(name, code, status, server);
  return text === undefined ? undefined : { text, needsUser: false };
}

/** The error for users, if an error of the client is about a login. Otherwise the same error. */
export function loginFailed(error: unknown, server: McpServer): unknown {
  const problem = loginProblem(error, server);
  if (problem === undefined) return error;
  return new PtcError(
    problem.needsUser ? 'MCP_LOGIN_REQUIRED' : 'MCP_SERVER_FAILED',
    `The MCP server ${server.name} cannot be used: ${problem.text}`,
    // No cause: it may quote what a server wrote about a secret.
    { details: { server: server.name } },
  );
}

function textOf(
  name: unknown,
  code: unknown,
  status: unknown,
  server: McpHttpServer,
): string | undefined {
  switch (name) {
    case 'OAuthError':
      return `its authorization server refused the login (${oauthCode(code)}). ${adviceOf(server)}`;
    case 'RegistrationRejectedError':
      return 'its authorization server refused to register this program. Register it by hand, and pass its client id or a token.';
    case 'InsecureTokenEndpointError':
      return 'its authorization server is not reached by https, so no secret was sent. Use its https address.';
    case 'IssuerMismatchError':
    case 'AuthorizationServerMismatchError':
      return 'its authorization server has another issuer than expected, so no secret was sent. Check the address of the authorization server.';
    case 'NoAuthorizationServerError':
      return 'there is no authorization server at the address of the issuer. Check it.';
    case 'ResourceDocumentError':
      return 'its document about its login could not be read, so no token was requested. Try again later, or tell the operator of the server.';
    case 'ForeignResourceError':
      return 'it asks for a token for another server, so none was requested. Check url, or tell the operator of the server.';
    case 'RenewalFailedError':
      return 'its authorization server did not answer, so the login could not be renewed. Try again later.';
    case 'ProviderError':
      return 'its login could not be read, renewed or kept. A warning of the process (PTC_MCP_LOGIN) says why.';
    case 'UnsendableTokenError':
      return 'its token has a line end, or another character that no header can have, so it was not sent. Correct how the token is read.';
    case 'ScopeRefusedError':
      return 'its token lacks a scope, although the login asked for it. Ask the operator of the server for more rights.';
    case 'InsufficientScopeError':
      return 'its token lacks a scope (403). Ask for more scopes when you log in.';
    default:
      return status === 401 || status === 403
        ? `it refused the login (${status}). ${adviceOf(server)}`
        : undefined;
  }
}

function hasProvider({ auth }: McpHttpServer): boolean {
  return auth !== undefined && 'provider' in auth;
}

function hasScopedProvider({ auth }: McpHttpServer): boolean {
  return auth !== undefined && 'provider' in auth && isScopedProvider(auth.provider);
}

function adviceOf({ auth }: McpHttpServer): string {
  if (auth === undefined) return 'Check the headers that you pass, or log in with auth.';
  return 'provider' in auth
    ? 'Log in again.'
    : 'Check issuer, clientId, clientSecret and scope of auth.';
}
