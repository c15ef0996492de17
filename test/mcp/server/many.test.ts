import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mcpServer, type McpCodeServer } from '../../../src/mcp/server/mcp-server.ts';
import type { McpListener } from '../../../src/mcp/server/http/listen.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { useBench } from '../../support/bench.ts';
import {
  connect as connectStreams,
  connectHttp,
  ERA_NAMES,
  newClient,
  runCode,
  sessionOf,
  textOf,
  type Era,
} from './support.ts';

const MOST = 100;

/** The calls that run, and what settles when so many do. */
let running = 0;
let awaited: { readonly calls: number; readonly reached: Deferred<undefined> } | undefined;

async function untilRunning(calls: number): Promise<void> {
  const reached = createDeferred<undefined>();
  awaited = { calls, reached };
  if (running === calls) reached.resolve(undefined);
  await reached.promise;
}

function count(difference: number): void {
  running += difference;
  if (running === awaited?.calls) awaited.reached.resolve(undefined);
}

/** On a busy machine, it can take longer than the limits of tools and clients until all calls run. */
const LONG_MS = 600_000;

const bench = useBench({
  toolList: [
    {
      name: 'hang',
      description: 'Waits until its call is aborted.',
      timeoutMs: LONG_MS,
      allowedCallers: ['direct', 'code'],
      run: async (_input: unknown, { signal }: { signal: AbortSignal }) => {
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        count(1);
        await aborted;
        count(-1);
      },
    },
    {
      name: 'answer',
      description: 'Answers.',
      allowedCallers: ['direct'],
      run: () => 'answered',
    },
  ],
});

const TOKENS = ['first-token-of-the-test', 'second-token-of-the-test'] as const;
const errors: unknown[] = [];
let server: McpCodeServer;
let listener: McpListener;

beforeAll(async () => {
  server = mcpServer({ executor: bench.executor, onHostError: (error) => void errors.push(error) });
  listener = await server.listen({ port: 0, tokens: TOKENS });
});

afterAll(async () => {
  await server.close();
});

async function connect(era: Era, token: string = TOKENS[0]): Promise<Client> {
  return (await connectHttp(listener.url, token, newClient(era))).client;
}

describe.each(ERA_NAMES)('a session of a client of the revision %s', (era) => {
  it('stays if a call of it is refused before a program runs', async () => {
    const client = await connect(era);
    const session = sessionOf(await runCode(client, 'x = 1'));
    for (const wrong of [{ code: 'x = 2', language: 'perl' }, {}, { code: 7 }]) {
      const call = { name: 'execute_code', arguments: { ...wrong, session } };
      expect((await client.callTool(call)).isError).toBe(true);
    }
    expect(textOf(await runCode(client, 'print(x)', session))).toBe('1');
  });
});

it('has the same sessions for clients of all revisions, and ends those of a connection with it', async () => {
  const modern = await connect('2026-07-28');
  const { client: legacy, leave } = await connectHttp(
    listener.url,
    TOKENS[0],
    newClient('2025-11-25'),
  );
  const own = sessionOf(await runCode(modern, 'x = 1'));
  expect(textOf(await runCode(legacy, 'print(x)', own))).toBe('1');
  const other = sessionOf(await runCode(legacy, 'y = 2'));
  expect(textOf(await runCode(modern, 'print(y)', other))).toBe('2');
  await leave();
  expect(textOf(await runCode(modern, 'print(y)', other))).toMatch(/^There is no such session/);
  expect(textOf(await runCode(modern, 'print(x)', own))).toBe('1');
});

it('refuses more than 100 calls of a caller at a time, on all its connections [host/mcp-calls]', async () => {
  const [modern, legacy] = [await connect('2026-07-28'), await connect('2025-11-25')];
  const stops = Array.from({ length: MOST }, () => new AbortController());
  const calls = stops.map(async ({ signal }, at) =>
    (at % 2 === 0 ? modern : legacy)
      .callTool({ name: 'hang', arguments: {} }, { signal, timeout: LONG_MS })
      .catch(() => 'cut off'),
  );
  await untilRunning(MOST);
  const answer = { name: 'answer', arguments: {} };
  for (const client of [modern, legacy]) {
    await expect(client.callTool(answer)).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringContaining('100 calls of this caller run or wait for an answer'),
    });
  }
  expect(textOf(await (await connect('2026-07-28', TOKENS[1])).callTool(answer))).toBe(
    '"answered"',
  );
  for (const stop of stops.slice(1)) stop.abort();
  await untilRunning(1);
  expect(textOf(await modern.callTool(answer))).toBe('"answered"');
  stops[0]?.abort();
  await Promise.all(calls);
  await untilRunning(0);
  expect(errors).toEqual([]);
});

it('refuses more than 100 calls of the client of two streams at a time', async () => {
  const { client } = await connectStreams('2026-07-28', { executor: bench.executor });
  const stops = Array.from({ length: MOST }, () => new AbortController());
  const calls = stops.map(async ({ signal }) =>
    client
      .callTool({ name: 'hang', arguments: {} }, { signal, timeout: LONG_MS })
      .catch(() => 'cut off'),
  );
  await untilRunning(MOST);
  const answer = { name: 'answer', arguments: {} };
  await expect(client.callTool(answer)).rejects.toMatchObject({ code: -32_000 });
  for (const stop of stops) stop.abort();
  await Promise.all(calls);
  await untilRunning(0);
  expect(textOf(await client.callTool(answer))).toBe('"answered"');
});

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

/** Opens a connection of the revisions until 2025, and returns its id. */
async function open(): Promise<string> {
  const response = await post(INITIALIZE);
  expect(response.status).toBe(200);
  return response.headers.get('mcp-session-id') ?? '';
}

/** The status and the body of the answer to a client that tries to connect. */
async function refused(): Promise<[number, unknown]> {
  const response = await send(INITIALIZE);
  return [response.status, await response.json()];
}

async function post(
  message: object,
  more: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const response = await send(message, more, signal);
  await response.text();
  return response;
}

async function send(
  message: object,
  more: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(listener.url, {
    method: 'POST',
    signal,
    headers: {
      authorization: `Bearer ${TOKENS[1]}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

async function isOpen(id: string): Promise<boolean> {
  const response = await post({ id: 2, method: 'tools/list' }, { 'mcp-session-id': id });
  return response.status === 200;
}

it('ends the connection that a caller has not used for longest if it has 100, unless a call runs on it', async () => {
  const client = await connect('2025-11-25', TOKENS[1]);
  const stop = new AbortController();
  const call = client
    .callTool({ name: 'execute_code', arguments: { code: 'await hang()' } }, stop)
    .catch(() => 'cut off');
  onTestFinished(() => stop.abort());
  await untilRunning(1);
  const ids: string[] = [];
  while (ids.length < MOST) ids.push(await open());
  expect([await isOpen(ids[0] ?? ''), await isOpen(ids[1] ?? '')]).toEqual([false, true]);
  expect(running).toBe(1);
  expect((await client.listTools()).tools).not.toEqual([]);
  stop.abort();
  expect(await call).toBe('cut off');
  await untilRunning(0);
});

it('refuses a connection of a caller that has 100, each with a running call', async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const calls: Promise<unknown>[] = [];
  while (calls.length < MOST) {
    const more = { 'mcp-session-id': await open() };
    const call = { id: 3, method: 'tools/call', params: { name: 'hang', arguments: {} } };
    calls.push(post(call, more, stop.signal).catch(() => 'cut off'));
    // Otherwise the connection could end for the next one.
    await untilRunning(calls.length);
  }
  const [status, body] = await refused();
  expect(status).toBe(429);
  expect(body).toMatchObject({
    error: {
      code: -32_000,
      message: expect.stringContaining('100 connections with running calls'),
    },
  });
  // A client with another token has connections of its own.
  await connect('2025-11-25', TOKENS[0]);
  stop.abort();
  await Promise.all(calls);
});
