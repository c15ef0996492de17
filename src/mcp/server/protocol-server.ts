import type { McpServer } from '@modelcontextprotocol/server';
import { PtcError } from '../../shared/errors.ts';
import type { Tool } from '../../tools/tool.ts';
import { ownName } from '../client/load-client.ts';
import type { Calls, Era } from './calls/calls.ts';
import type { Served } from './served.ts';
import { clientTools } from './tools/client-tools.ts';
import { listTools } from './tools/tool-list.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

/**
 * The official server for one connection or request, with the tools of this package. Its own tools
 * turn every error into a result, so the requests are handled here: a model must not take an error
 * of the host for the result of its program.
 */
export function protocolServer(sdk: Sdk, served: Served, calls: Calls, era: Era): McpServer {
  const mcpServer = new sdk.McpServer(ownName(), {
    capabilities: { tools: { listChanged: served.tools.onChange !== undefined } },
    requestState: { verify: async (state, context) => calls.verify(state, context) },
  });
  // The official server compares the headers of a call by HTTP with the arguments for which the schema
  // names a header (`x-mcp-header`). It knows no tools itself.
  mcpServer.toolInputSchemaJson = (name) => directTool(served, name)?.inputSchema;
  const { server } = mcpServer;
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    await served.codeTool.findSoftware(mcpReq.signal);
    const { hasHandles } = calls;
    return { tools: listTools(clientTools(served).all, { ...served, hasHandles }) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
    const capabilities =
      era === 'modern'
        ? envelope[sdk.CLIENT_CAPABILITIES_META_KEY]
        : server.getClientCapabilities();
    try {
      return await calls.answer({ name, arguments: input }, context, { era, capabilities });
    } catch (error) {
      if (error instanceof sdk.ProtocolError) throw error;
      if (!context.mcpReq.signal.aborted) served.onHostError(error);
      throw hostFailure(sdk, error);
    }
  });
  return mcpServer;
}

function directTool(served: Served, name: string): Tool | undefined {
  const direct = served.tools.snapshot().forCaller('direct');
  return direct.find(({ identifier }) => identifier === name);
}

/** Tells the client of a connection that the tools have changed, if it has not left. */
export function announceTo({ server }: McpServer): void {
  if (server.transport !== undefined) server.sendToolListChanged().catch(() => {});
}

/** The client may be on another machine, so it does not get the message, which can name files. */
function hostFailure({ ProtocolError, ProtocolErrorCode }: Sdk, error: unknown): Error {
  const code = PtcError.isInstance(error) ? error.code : undefined;
  const what = code === undefined ? '' : ` (${code})`;
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    `The server could not carry out this call${what}. Its log says why.`,
    code === undefined ? undefined : { code },
  );
}
