import { PassThrough } from 'node:stream';
import {
  Client,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from '@modelcontextprotocol/client';
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
  const connected = await connectUntilLeft(options, client);
  onTestFinished(async () => {
    await connected.leave();
    await connected.served;
  });
  return connected;
}

/** Connects the official client to a server, until it leaves. */
export async function connectUntilLeft(
  options: McpCodeServerOptions,
  client: Client,
): Promise<Connected> {
  const server = mcpServer(options);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = server.stdio({ input, output });
  await client.connect(new StdioServerTransport(output, input));
  const leave = async (): Promise<void> => {
    await client.close();
    input.end();
  };
  return { client, server, served, leave };
}

/** Connects a client by HTTP, until the test is over or `leave` is called. */
export async function connectHttp(
  url: string,
  token: string,
  client: Client,
): Promise<{ readonly client: Client; readonly leave: () => Promise<void> }> {
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  const leave = async (): Promise<void> => {
    await transport.terminateSession().catch(() => {});
    await client.close();
  };
  onTestFinished(leave);
  return { client, leave };
}

/** Has a client run a program, in a session of its own or in the one with the handle. */
export async function runCode(
  client: Client,
  code: string,
  session?: unknown,
): ReturnType<Client['callTool']> {
  return client.callTool({
    name: 'execute_code',
    arguments: { code, ...(session !== undefined && { session }) },
  });
}

/** What a client of the revision 2026-07-28 says of itself in each request. */
export const META = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
  [CLIENT_CAPABILITIES_META_KEY]: { elicitation: { form: {} } },
};

/**
 * Calls a tool by HTTP with a request of the revision 2026-07-28, as no official client sends it.
 * @param sent - The arguments as JSON text.
 */
export async function callRaw(
  url: string,
  token: string,
  { name, sent, ...more }: { readonly name: string; readonly sent: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const params = JSON.stringify({ name, ...more, _meta: META }).replace(
    /}$/,
    `,"arguments":${sent}}`,
  );
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  });
  const text = await response.text();
  return { status: response.status, answer: JSON.parse(text.replace(/^[^{]*/, '')) };
}

/** The handle of a session. */
export const sessionOf = (result: Awaited<ReturnType<typeof runCode>>): unknown =>
  (result.structuredContent as { session?: string }).session;

/** The text of a result, as the model gets it. */
export function textOf(result: { readonly content: readonly unknown[] }): string {
  return result.content.map((part) => (part as { text?: string }).text ?? '').join('\n');
}
