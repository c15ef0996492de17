import { PassThrough } from 'node:stream';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import { mcpServer, type McpCodeServer } from '../../../src/mcp/server/mcp-server.ts';
import type { McpCodeServerOptions } from '../../../src/mcp/server/options.ts';

/** The revisions that the official client is told to speak. */
export const ERAS = {
  '2025-11-25': { mode: 'legacy' },
  '2026-07-28': { mode: { pin: '2026-07-28' } },
} as const;

export type Era = keyof typeof ERAS;
export const ERA_NAMES = Object.keys(ERAS) as readonly Era[];

export function newClient(era: Era, options: ClientOptions = {}): Client {
  return new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: ERAS[era] });
}

/** A client and a server that are connected by two streams, as by standard input and output. */
export interface Connected {
  readonly client: Client;
  readonly server: McpCodeServer;
  /** Settles when the server has ended the connection. */
  readonly served: Promise<void>;
  /** Ends the connection as a client does. */
  readonly leave: () => Promise<void>;
}

/** Connects the official client to a server, until the test is over. */
export async function connect(
  era: Era,
  options: McpCodeServerOptions,
  client: Client = newClient(era),
): Promise<Connected> {
  const server = mcpServer(options);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = server.stdio({ input, output });
  await client.connect(new StdioServerTransport(output, input));
  const leave = async (): Promise<void> => {
    await client.close();
    input.end();
  };
  onTestFinished(async () => {
    await leave();
    await served;
  });
  return { client, server, served, leave };
}

/** The text of a result, as the model gets it. */
export function textOf(result: { readonly content: readonly unknown[] }): string {
  return result.content.map((part) => (part as { text?: string }).text ?? '').join('\n');
}
