import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import { MCP_LISTEN } from '../../../src/mcp/server/http/access.ts';
import { MCP_CODE_SERVER } from '../../../src/mcp/server/options.ts';
import { MCP_STDIO } from '../../../src/mcp/server/stdio.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import type { Target } from './target.ts';

const executor = new SandboxExecutor();
const closed = mcpServer({ executor });
await closed.close();

/** The objects of options of `mcpServer`, by the names that errors give them. */
export const MCP_SERVER_TARGETS: Readonly<Record<string, Target>> = {
  mcpServer: {
    names: MCP_CODE_SERVER.names,
    page: 'mcp-server.md',
    base: { executor },
    call: mcpServer,
  },
  listen: {
    names: MCP_LISTEN.names,
    page: 'mcp-server.md',
    base: { port: 0 },
    call: async (options) => closed.listen(options),
  },
  stdio: {
    names: MCP_STDIO.names,
    page: 'mcp-server.md',
    // Nothing is read once the server is closed.
    call: async (options) => closed.stdio(options),
  },
};
