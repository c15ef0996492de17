/**
 * Tools of MCP servers, and an MCP server with `execute_code`.
 * @module sandboxed-ptc/mcp
 */
export { mcpTools, type McpTools } from './client/mcp-tools.ts';
export type {
  McpConnectedServer,
  McpHttpServer,
  McpServer,
  McpStdioServer,
} from './client/mcp-server.ts';
export type { ToolPins, UnacceptedTool } from './client/pin/pins.ts';
export type {
  ListedTool,
  McpCallOptions,
  McpClient,
  McpProgress,
  McpRequestOptions,
  McpResultCheck,
  McpToolPage,
} from './client/mcp-client.ts';
export type {
  ElicitedForm,
  ElicitedVisit,
  McpElicitation,
  McpElicitationAnswer,
  McpElicitationHandler,
} from './client/requests/elicitation.ts';
export type { McpSampling } from './client/requests/sampling.ts';
export {
  readMcpServers,
  type McpServersFile,
  type McpServersOptions,
} from './servers-file/read-mcp-servers.ts';
export type {
  McpAuth,
  McpClientCredentials,
  McpOAuthProvider,
  McpOwnLogin,
  McpRefusal,
  McpTokenProvider,
} from './client/auth/auth-options.ts';
export { mcpServer, type McpCodeServer } from './server/mcp-server.ts';
export type { McpCodeServerOptions } from './server/options.ts';
export type { McpStdioOptions } from './server/stdio.ts';
export type { McpListenOptions } from './server/http/access.ts';
export type { McpListener } from './server/http/listen.ts';
