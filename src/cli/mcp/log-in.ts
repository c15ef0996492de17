import { loginFailed } from '../../mcp/client/auth/login-problem.ts';
import type { McpHttpServer } from '../../mcp/client/mcp-server.ts';
import type { UserLogin } from '../../mcp/client/auth/user-login.ts';
import { unlessAborted } from '../../shared/async/abort.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { PtcError } from '../../shared/errors.ts';
import { UsageError } from '../failure.ts';
import { LoginListener } from './login-listener.ts';

/** How long a person may take to log in. */
const LOGIN_LIMIT_MS = 5 * 60_000;

/**
 * Asks the user on standard error to open the address of a login, and waits until they have come back.
 * @param limitMs - How long to wait. @default 5 minutes
 * @throws PtcError `MCP_LOGIN_REQUIRED` if nobody logs in, `MCP_SERVER_FAILED` if the login fails,
 * or `ABORTED` if the signal fires; UsageError as `LoginFile`.
 */
export async function logIn(
  server: McpHttpServer,
  login: UserLogin,
  signal: AbortSignal,
  limitMs: number = LOGIN_LIMIT_MS,
): Promise<void> {
  await using listener = await LoginListener.open();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  using any = new AnySignal(signal, limit.signal);
  const visit = async (url: URL): Promise<URLSearchParams> => {
    process.stderr.write(
      `The MCP server ${server.name} needs a login. Open this address in a browser on this machine:\n\n  ${url.href}\n\nWaiting for the login. Press Ctrl-C to give up.\n`,
    );
    return listener.query();
  };
  const { redirectUrl, state } = listener;
  try {
    const loggedIn = login.logIn({ redirectUrl, state, visit, signal: any.signal });
    await unlessAborted(loggedIn, any.signal, `The login to the MCP server ${server.name}`);
  } catch (error) {
    if (!limit.signal.aborted) throw failureOf(error, server);
    throw new PtcError(
      'MCP_LOGIN_REQUIRED',
      `Nobody logged in to the MCP server ${server.name} in time. Run the command again.`,
      { details: { server: server.name } },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** The error for users. One that the login does not know is that of an authorization server without a right answer. */
function failureOf(error: unknown, server: McpHttpServer): unknown {
  const failed = loginFailed(error, server);
  if (PtcError.isInstance(failed) || failed instanceof UsageError) return failed;
  return new PtcError(
    'MCP_SERVER_FAILED',
    `The login to the MCP server ${server.name} failed: its authorization server cannot be reached, or its answers cannot be used. Try again later, or tell the operator of the server.`,
    { cause: failed, details: { server: server.name } },
  );
}
