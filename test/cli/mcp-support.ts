import { fileURLToPath } from 'node:url';

const SCRIPTED = fileURLToPath(new URL('../mcp/servers/scripted.mjs', import.meta.url));

/** A server of a file, with one tool, which returns a text. */
export function serverWith(tool: string, value: string, more: object = {}): object {
  const script = {
    tools: [{ name: tool, inputSchema: { type: 'object' } }],
    results: { [tool]: { content: [{ type: 'text', text: value }] } },
  };
  return { command: process.execPath, args: [SCRIPTED, JSON.stringify({ ...script, ...more })] };
}
