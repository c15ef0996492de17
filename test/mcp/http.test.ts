import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { boundedFetch } from '../../src/mcp/client/connection/bounded-fetch.ts';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { callerOf } from './support.ts';

/** A server that wants a token. Returns its address, and the revisions with which it was asked. */
async function startServer(token: string): Promise<{ url: string; revisions: Set<unknown> }> {
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'sums', version: '1' });
      const numbers = { left: z.number(), right: z.number() };
      const definition = {
        description: 'Adds.',
        inputSchema: z.object(numbers),
        outputSchema: z.object({ sum: z.number() }),
      };
      server.registerTool('add', definition, ({ left, right }) => ({
        content: [],
        structuredContent: { sum: left + right },
      }));
      return server;
    }),
  );
  const revisions = new Set<unknown>();
  const server = createServer((request, response) => {
    revisions.add(request.headers['mcp-protocol-version']);
    if (request.headers.authorization === `Bearer ${token}`)
      return void handler(request as never, response);
    return void response.writeHead(401).end(`not ${request.headers.authorization}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, revisions };
}

it('calls a server of the newest revision by Streamable HTTP, with the headers that were given', async () => {
  const { url, revisions } = await startServer('right');
  const headers = { authorization: 'Bearer right' };
  const { call } = await callerOf({ name: 'sums', url, headers });
  expect(await call('add', { left: 2, right: 3 })).toEqual({ sum: 5 });
  expect(revisions).toContain('2026-07-28');
});

it('says that a server refused the login, without the token', async () => {
  const { url } = await startServer('right');
  const refused = mcpTools({ name: 'sums', url, headers: { authorization: 'Bearer wrong-token' } });
  const error: unknown = await refused.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message:
      'The MCP server sums cannot be used: it refused the login (401). Check the headers that you pass, or log in with auth.',
    details: { server: 'sums' },
  });
  expect(JSON.stringify(error)).not.toContain('wrong-token');
});

it('says that nobody listens at an address', async () => {
  await expect(mcpTools({ name: 'sums', url: 'http://127.0.0.1:1/mcp' })).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: expect.stringMatching(/http:\/\/127\.0\.0\.1:1 did not answer as an MCP server/),
  });
});

/** A server whose answer has no end: `piece`, again and again. */
async function startEndless(type: string, piece: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const send = (): void => {
      if (response.destroyed) return;
      response.write(piece.repeat(Math.ceil(65_536 / piece.length)));
      response.once('drain', send);
    };
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

it('gives up a server whose answer never ends', async () => {
  const url = await startEndless('application/json', 'x');
  await expect(mcpTools({ name: 'sums', url })).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
  });
});

it('reads events as long as none is too long', async () => {
  const limit = 100_000;
  const { signal } = new AbortController();
  const fetchBounded = boundedFetch(limit, signal);
  const long = await fetchBounded(await startEndless('text/event-stream', 'data: x\n'), { signal });
  await expect(long.text()).rejects.toThrow('a message of more than 100000 bytes');
  const events = await startEndless('text/event-stream', 'data: x\r\n\r\n');
  const short = await fetchBounded(events, { signal });
  let read = 0;
  for await (const chunk of short.body ?? []) {
    read += chunk.length;
    if (read > 10 * limit) break;
  }
  expect(read).toBeGreaterThan(10 * limit);
});

/**
 * A server of the revision 2025-11-25, with a session that it forgets when a tool is called, and never
 * ends. Returns the response to the request to end it, too.
 */
async function startStubborn(): Promise<{ url: string; asked: Promise<ServerResponse[]> }> {
  const server = createServer();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'DELETE') server.emit('asked to end', response);
    else if (request.method === 'POST') {
      const { id, method } = (await json(request)) as { id?: number; method: string };
      if (method === 'tools/call') return void response.writeHead(404).end();
      const answer = ANSWERS[method] ?? { error: { code: -32_601, message: 'unknown method' } };
      response.setHeader('content-type', 'application/json');
      response.setHeader('mcp-session-id', '1');
      response.writeHead(id === undefined ? 202 : 200);
      response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    } else response.writeHead(405).end();
  };
  server.on('request', (request, response) => {
    handle(request, response).catch((error: unknown) => server.emit('error', error));
  });
  const asked = once(server, 'asked to end') as Promise<ServerResponse[]>;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

const ANSWERS: Readonly<Record<string, object>> = {
  initialize: {
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'stubborn', version: '1' },
    },
  },
  'tools/list': { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } },
};

it('leaves a server of the revision 2025-11-25 that does not answer when it is asked to end its session', async () => {
  const { url, asked } = await startStubborn();
  const source = await mcpTools({ name: 'sums', url });
  const [left] = await Promise.allSettled([source.close(), asked]);
  expect(left.status).toBe('fulfilled');
});

it('is not closed before a connection that was lost has ended', async () => {
  const { url, asked } = await startStubborn();
  const { call, source } = await callerOf({ name: 'sums', url });
  expect(await call('add')).toMatchObject({ type: 'Unavailable' });
  const [response] = await asked;
  const order: string[] = [];
  const closed = source.close().then(() => order.push('closed'));
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  order.push('left');
  response?.writeHead(200).end();
  await closed;
  expect(order).toEqual(['left', 'closed']);
});
