import { checkServer, MCP_SERVER } from '../../../src/mcp/client/mcp-server.ts';
import { MCP_SAMPLING, samplingOf } from '../../../src/mcp/client/requests/sampling.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { openApiTools } from '../../../src/openapi/openapi-tools.ts';
import { OPENAPI_TOOLS } from '../../../src/openapi/options.ts';
import type { Target } from './target.ts';

/** As `TARGETS`, of the sources of tools. */
export const SOURCE_TARGETS: Readonly<Record<string, Target>> = {
  mcpTools: {
    names: MCP_SERVER.names,
    page: 'mcp.md',
    base: { name: 'a', command: 'true' },
    accepts: { pin: ['boolean', 'plain'] },
    call: checkServer,
  },
  sampling: {
    names: MCP_SAMPLING.names,
    page: 'mcp.md',
    base: { model: scriptedModel([]) },
    call: samplingOf,
  },
  openApiTools: {
    names: OPENAPI_TOOLS.names,
    page: 'openapi.md',
    base: { name: 'a', document: { openapi: '3.1.0', paths: {} }, baseUrl: 'http://localhost' },
    accepts: { auth: ['plain', 'function'], operations: ['array', 'function'] },
    call: openApiTools,
  },
};
