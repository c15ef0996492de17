import { mcpTools, type McpTools } from '../../mcp/client/mcp-tools.ts';
import {
  hasAuthorization,
  type McpHttpServer,
  type McpServer,
} from '../../mcp/client/mcp-server.ts';
import { UserLogin } from '../../mcp/client/auth/user-login.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { PtcError } from '../../shared/errors.ts';
import type { ToolRegistry } from '../../tools/registry/registry.ts';
import type { GivenTools } from '../modules/given-tools.ts';
import { logIn } from './log-in.ts';
import { LoginFile } from './login-file.ts';

/** Tools of connected servers, and others. Disposing it ends the connections. */
export interface ConnectedTools extends AsyncDisposable {
  readonly registry: ToolRegistry;
}

/** Has the user log in to a server. */
type LogIn = (server: McpHttpServer, login: UserLogin, signal: AbortSignal) => Promise<void>;

/** What is done if a server needs a login. */
interface Logins {
  /** There is none, or it has ended. */
  readonly missing: LogIn;
  /** A call of an earlier process needed more than the login allows. */
  readonly narrow: LogIn;
}

/**
 * Connects to all servers at once, and adds their tools to the registry. Disposing the result ends the
 * connections, and the processes that were started. If one server fails, all others are closed.
 * @param logins - What is done if a server needs a login. @default asks the user on standard error
 * @throws what `logins` throw; PtcError as `mcpTools` for the server that fails first,
 * `TOOL_NAME_CLASH`, or `ABORTED` if the signal fires.
 */
export async function connectServers(
  { servers, clientIds, registry }: GivenTools,
  signal: AbortSignal,
  logins: Logins = { missing: logIn, narrow: logIn },
): Promise<ConnectedTools> {
  const failure = new AbortController();
  using any = new AnySignal(signal, failure.signal);
  const opening = servers.map(async (server) => {
    try {
      const opened = { ...server, signal: any.signal };
      return await connect(opened, clientIds.get(server.name), any.signal, logins);
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
  const opened = (await Promise.allSettled(opening)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  );
  try {
    if (failure.signal.aborted) throw failure.signal.reason;
    for (const source of opened) registry.addSource(source);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
  return { registry, [Symbol.asyncDispose]: async () => closeAll(opened) };
}

async function connect(
  server: McpServer,
  clientId: string | undefined,
  signal: AbortSignal,
  { missing, narrow }: Logins,
): Promise<McpTools> {
  // With a token in the file, another login would hide that it is wrong.
  if (!('url' in server) || hasAuthorization(server.headers)) return mcpTools(server);
  const login = await UserLogin.open(new LoginFile(server.name, server.url), clientId);
  const withLogin = { ...server, auth: { provider: login } };
  if (login.lacksScope) await narrow(withLogin, login, signal);
  try {
    return await mcpTools(withLogin);
  } catch (error) {
    if (!PtcError.isInstance(error) || error.code !== 'MCP_LOGIN_REQUIRED') throw error;
  }
  await missing(withLogin, login, signal);
  return mcpTools(withLogin);
}

async function closeAll(opened: readonly McpTools[]): Promise<void> {
  await Promise.all(opened.map(async (source) => source.close()));
}
