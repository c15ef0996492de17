import { mcpTools, type McpTools } from '../../mcp/client/mcp-tools.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { GivenTools } from '../given-tools.ts';

/** Tools of connected servers, and others. Disposing it ends the connections. */
export interface ConnectedTools extends AsyncDisposable {
  readonly registry: ToolRegistry;
}

/**
 * Connects to all servers at once, and adds their tools to the registry. Disposing the result ends the
 * connections, and the processes that were started. If one server fails, all others are closed.
 * @throws PtcError as `mcpTools` for the server that fails first, `TOOL_NAME_CLASH`, or `ABORTED` if
 * the signal fires.
 */
export async function connectServers(
  { servers, registry }: GivenTools,
  signal: AbortSignal,
): Promise<ConnectedTools> {
  const failure = new AbortController();
  using any = new AnySignal(signal, failure.signal);
  const opening = servers.map(async (server) => {
    try {
      return await mcpTools({ ...server, signal: any.signal });
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

async function closeAll(opened: readonly McpTools[]): Promise<void> {
  await Promise.all(opened.map(async (source) => source.close()));
}
