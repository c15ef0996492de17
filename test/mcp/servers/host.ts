// A process that connects to the server of its first argument, as JSON, and does not end by itself.
import { mcpTools, type McpStdioServer } from '../../../src/mcp/index.ts';

const source = await mcpTools(JSON.parse(process.argv[2] ?? '') as McpStdioServer);
process.stdout.write(`${source.name}\n`);
setInterval(() => {}, 1e6);
