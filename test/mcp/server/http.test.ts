import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { StreamableHTTPClientTransport, type Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpServer, type McpCodeServer } from '../../../src/mcp/server/mcp-server.ts';
import type { McpListener } from '../../../src/mcp/server/http/listen.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { useBench } from '../../support/bench.ts';
import {
  connectHttp,
  ERA_NAMES,
  newClient,
  runCode as run,
  sessionOf,
  textOf,
  type Era,
} from './support.ts';

let [started, ended] = [createDeferred<undefined>(), createDeferred<undefined>()];
const bench = useBench({
  toolList: [
    { name: 'pay', description: 'Pays.', run: () => 'paid' },
    {
      name: 'wait',
      description: 'Waits until its call is aborted.',
      run: async (_input: unknown, { signal }: { signal: AbortSignal }) => {
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        started.resolve(undefined);
        await aborted;
        ended.resolve(undefined);
      },
    },
  ],
});

const TOKENS = ['first-token-of-the-test', 'second-token-of-the-test'] as const;
const policy = { rules: [{ tool: 'pay', action: 'ask' }] } as const;
let server: McpCodeServer;
let listener: McpListener;

beforeAll(async () => {
  server = mcpServer({ executor: bench.executor, policy });
  listener = await server.listen({ port: 0, tokens: TOKENS });
});

afterAll(async () => {
  await server.close();
});

async function connect(era: Era, token: string, client = newClient(era)): Promise<Client> {
  return (await connectHttp(listener.url, token, client)).client;
}

describe.each(ERA_NAMES)('a client of the revision %s, by HTTP', (era) => {
  it('continues the session that a result names, and gets a new one otherwise', async () => {
    const client = await connect(era, TOKENS[0]);
    const session = sessionOf(await run(client, 'x = 1'));
    expect(session).toMatch(/^[\w-]{22}$/);
    const again = await run(client, 'x += 1\nprint(x)', session);
    expect([textOf(again), sessionOf(again)]).toEqual(['2', session]);
    const other = await run(client, 'print("x" in globals())');
    expect(textOf(other)).toBe('False');
    expect(sessionOf(other)).not.toBe(session);
  });

  it.each([[''], [null]])('gets a new session for the session %j', async (session) => {
    const client = await connect(era, TOKENS[0]);
    const result = await run(client, 'print(1)', session);
    expect([textOf(result), sessionOf(result)]).toEqual(['1', expect.stringMatching(/./)]);
  });

  it.each([['A'.repeat(22)], [7], ['__proto__']])(
    'is told that there is no session %j',
    async (session) => {
      const client = await connect(era, TOKENS[0]);
      const result = await run(client, 'print(1)', session);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/^There is no such session, so nothing was run/);
    },
  );

  it('cannot use the session of another caller, and is told the same [host/mcp-caller]', async () => {
    const session = sessionOf(await run(await connect(era, TOKENS[0]), 'secret = 1'));
    const foreign = await run(await connect(era, TOKENS[1]), 'print(secret)', session);
    expect(foreign.isError).toBe(true);
    expect(textOf(foreign)).toMatch(/^There is no such session/);
  });

  it('asks its user while the program waits', async () => {
    const client = newClient(era, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { approve: true },
    }));
    expect(textOf(await run(await connect(era, TOKENS[0], client), 'print(await pay())'))).toBe(
      'paid',
    );
  });

  it('stops its program if it cancels the request', async () => {
    [started, ended] = [createDeferred(), createDeferred()];
    const client = await connect(era, TOKENS[0]);
    const cancel = new AbortController();
    const call = client
      .callTool(
        { name: 'execute_code', arguments: { code: 'await wait()' } },
        { signal: cancel.signal },
      )
      .catch(() => 'cut off');
    await started.promise;
    cancel.abort();
    expect(await call).toBe('cut off');
    await ended.promise;
  });

  it('gets progress', async () => {
    const client = newClient(era, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    await connect(era, TOKENS[0], client);
    const told: unknown[] = [];
    const code = 'try:\n    await pay()\nexcept ToolError: pass';
    await client.callTool(
      { name: 'execute_code', arguments: { code } },
      { onprogress: ({ message }) => void told.push(message) },
    );
    // The client tells of the question itself.
    expect(told.filter((message) => message === 'pay')).toHaveLength(1);
  });

  it('is refused without a token, or with a wrong one [host/mcp-token]', async () => {
    await expect(connect(era, 'wrong-token-of-the-test')).rejects.toMatchObject({ status: 401 });
    await expect(connect(era, `${TOKENS[0]}x`)).rejects.toMatchObject({ status: 401 });
  });
});

describe('the answer to a question of another caller', () => {
  it('is refused [host/mcp-caller]', async () => {
    const era = '2026-07-28';
    const asked = async (
      token: string,
    ): Promise<(params: object) => Promise<Record<string, unknown>>> => {
      const client = newClient(era, { capabilities: { elicitation: { form: {} } } });
      await connect(era, token, client);
      return async (params) =>
        client.request(
          { method: 'tools/call', params } as never,
          { allowInputRequired: true } as never,
        );
    };
    const [own, foreign] = [await asked(TOKENS[0]), await asked(TOKENS[1])];
    const call = { name: 'execute_code', arguments: { code: 'print(await pay())' } };
    const { inputRequests, requestState } = await own(call);
    const [id = ''] = Object.keys(inputRequests as object);
    const inputResponses = { [id]: { action: 'accept', content: { approve: true } } };
    const answer = { ...call, requestState, inputResponses };
    await expect(foreign(answer)).rejects.toMatchObject({ code: -32_602 });
    expect(await own(answer)).toMatchObject({ content: [{ text: 'paid' }] });
  });
});

/** Sends a request as it is. */
async function send(
  headers: Record<string, string>,
  body = '{}',
  path = '/mcp',
): Promise<{ status: unknown; body: string }> {
  const { hostname, port } = new URL(listener.url);
  const all = {
    authorization: `Bearer ${TOKENS[0]}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const sent = request({ hostname, port, path, method: 'POST', headers: all });
  sent.on('error', () => {});
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}

describe('a request by HTTP', () => {
  it.each([
    [{ host: 'evil.example' }, 403],
    [{ host: 'localhost.evil.example:80' }, 403],
    [{ host: '127.0.0.1@evil.example' }, 403],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ authorization: '' }, 401],
    [{ authorization: `Basic ${TOKENS[0]}` }, 401],
    [{ authorization: 'Bearer' }, 401],
  ])(
    'with the headers %j is refused [host/mcp-host, host/mcp-origin, host/mcp-token]',
    async (headers, status) => {
      const answer = await send(headers);
      expect(answer.status).toBe(status);
      expect(answer.body).not.toContain(TOKENS[0]);
    },
  );

  it.each([['localhost:80'], ['[::1]'], ['LOCALHOST']])(
    'can name this machine %s',
    async (host) => {
      expect((await send({ host, origin: 'http://localhost:3000' })).status).toBe(400);
    },
  );

  it('is refused at another path', async () => {
    expect((await send({}, '{}', '/other')).status).toBe(404);
  });

  it('is refused if its body is longer than 4 MiB', async () => {
    expect((await send({}, 'x'.repeat(4 * 2 ** 20 + 1))).status).toBe(413);
  });

  it('cannot use a connection of another caller, or one that never existed [host/mcp-caller]', async () => {
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      },
    });
    const response = await fetch(listener.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKENS[0]}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: initialize,
    });
    const id = response.headers.get('mcp-session-id') ?? '';
    await response.text();
    expect(id).toMatch(/^[\w-]{22}$/);
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    const own = await send({ 'mcp-session-id': id }, list);
    expect(own).toMatchObject({ status: 200, body: expect.stringContaining('execute_code') });
    const authorization = `Bearer ${TOKENS[1]}`;
    const foreign = await send({ 'mcp-session-id': id, authorization }, list);
    expect(foreign.status).toBe(404);
    expect(await send({ 'mcp-session-id': 'A'.repeat(22) }, list)).toEqual(foreign);
  });
});

describe('listen', () => {
  it.each([
    [{ port: 0, host: '0.0.0.0' }, /listen needs tokens/],
    [{ port: 0, host: '::' }, /listen needs tokens/],
    [{ port: 0, tokens: ['short'] }, /at least 16/],
    [{ port: 0, tokens: ['with spaces in the token'] }, /at least 16/],
    [{ port: -1 }, /port/],
    [{ port: 70_000 }, /port/],
    [{ port: 0, allowedHosts: ['http://a.example'] }, /allowedHosts/],
  ])('refuses the options %j [host/mcp-listen]', async (options, message) => {
    const other = mcpServer({ executor: bench.executor });
    const refused = other.listen(options);
    await expect(refused).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('says that a port is in use', async () => {
    const port = Number(new URL(listener.url).port);
    await expect(server.listen({ port })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/EADDRINUSE/),
    });
  });

  it('ends programs, sessions and the listener when it is closed, even with a question open', async () => {
    const other = mcpServer({ executor: bench.executor, policy });
    const own = await other.listen({ port: 0 });
    const client = newClient('2026-07-28', { capabilities: { elicitation: { form: {} } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(own.url)));
    const params = { name: 'execute_code', arguments: { code: 'await pay()' } };
    await client.request(
      { method: 'tools/call', params } as never,
      { allowInputRequired: true } as never,
    );
    expect(bench.executor.stats().busy).toBe(1);
    await other.close();
    expect(bench.executor.stats().busy).toBe(0);
    const socket = connectSocket(Number(new URL(own.url).port), '127.0.0.1');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    await client.close();
  });
});
