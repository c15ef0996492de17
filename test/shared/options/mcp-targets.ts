import { checkAuth, MCP_AUTH } from '../../../src/mcp/client/auth/auth-options.ts';
import { checkServer, MCP_SERVER } from '../../../src/mcp/client/mcp-server.ts';
import { MCP_SAMPLING, samplingOf } from '../../../src/mcp/client/requests/sampling.ts';
import { readMcpServers, SERVERS_OPTIONS } from '../../../src/mcp/servers-file/read-mcp-servers.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import type { Target } from './target.ts';

const page = 'mcp.md';

/** The objects of options of `sandboxed-ptc/mcp`. */
export const MCP_TARGETS: Readonly<Record<string, Target>> = {
  mcpTools: {
    names: MCP_SERVER.names,
    page,
    base: { name: 'a', command: 'true' },
    accepts: { pin: ['boolean', 'plain'] },
    call: checkServer,
  },
  sampling: {
    names: MCP_SAMPLING.names,
    page,
    base: { model: scriptedModel([]) },
    call: samplingOf,
  },
  auth: {
    names: MCP_AUTH.names,
    page,
    base: { issuer: 'https://a.example', clientId: 'a', clientSecret: 'b' },
    accepts: { clientId: ['text'], clientSecret: ['text'], scope: ['text'] },
    call: checkAuth,
  },
  readMcpServers: {
    names: SERVERS_OPTIONS.names,
    page,
    call: (options) => readMcpServers('{"mcpServers": {}}', options),
  },
};
