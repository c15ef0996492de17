// Measures calls of a tool of an MCP server over standard input and output.

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SandboxExecutor, ToolRegistry } from '../dist/index.js';
import { mcpTools } from '../dist/mcp/index.js';
import { CALLS, roundTrip } from './measures.mjs';
import { interleave, timed } from './statistics.mjs';

const ROUNDS = 21;
/** How many round trips a call may cost besides that of the bare client. */
const EXTRA_ROUND_TRIPS = 1.3;

const SERVER = {
  command: process.execPath,
  args: [
    fileURLToPath(new URL('../test/mcp/servers/scripted.mjs', import.meta.url)),
    JSON.stringify({
      tools: [{ name: 'instant', description: 'Answers.', inputSchema: { type: 'object' } }],
      results: { instant: { content: [{ type: 'text', text: '1' }] } },
    }),
  ],
};

/** A call from a program, by one of the bare client and the round trips that a program may add. */
export async function mcpCall({ provider, session }) {
  const source = await mcpTools({ name: 'server', ...SERVER });
  const bare = new Client({ name: 'bench', version: '1' });
  // As a tool of the program's own, so that both programs are the same.
  const tools = new ToolRegistry([{ ...source.tools()[0], name: 'instant' }]);
  const executor = new SandboxExecutor({ provider, tools });
  try {
    await bare.connect(new StdioClientTransport(SERVER));
    const own = await executor.acquire();
    const callBare = async () => bare.callTool({ name: 'instant', arguments: {} });
    const once = { bare: () => timed(callBare), own: () => roundTrip(own) };
    await Promise.all([once.bare(), once.own()]);
    const { value, direct, trip } = await interleave(ROUNDS, {
      value: () => roundTrip(own),
      direct: () => often(callBare),
      trip: () => roundTrip(session),
    });
    const parts = `bare callTool ${direct.toFixed(2)} ms, a round trip ${trip.toFixed(2)} ms`;
    const extra = ((value - direct) / trip).toFixed(2);
    return {
      value,
      floor: direct + EXTRA_ROUND_TRIPS * trip,
      notes: [`${parts}; the call adds ${extra} round trips`],
    };
  } finally {
    await executor.close();
    await source.close();
    await bare.close();
  }
}

async function often(call) {
  const total = await timed(async () => {
    for (let index = 0; index < CALLS; index += 1) await call();
  });
  return total / CALLS;
}
