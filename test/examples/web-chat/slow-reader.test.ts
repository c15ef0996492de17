import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { loadExample, loadRoutes, type EventStreamModule } from './modules.ts';

const EVENT_BYTES = 65_536;

/** How much sooner a reader counts as gone in a test: after 0.2 s instead of a minute. */
const FASTER = 300;

/** A message for a conversation, as its bytes are on the connection. */
function requestFor(conversation: string): string {
  const body = '{"text":"Go."}';
  return `POST /conversations/${conversation}/messages HTTP/1.1\r\nhost: localhost\r\nx-user: anna\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Waits until a reader who takes nothing has been sent as much as the kernel holds for it. */
async function untilStalled(events: () => number): Promise<void> {
  let before = -1;
  await expect
    .poll(() => {
      const isStalled = events() > 0 && events() === before;
      before = events();
      return isStalled;
    })
    .toBe(true);
}

it('a run waits for a reader who takes no more, and ends when the reader has gone [waiting/browser]', async () => {
  const { sendEvents } = await loadExample<EventStreamModule>('event-stream.mjs');
  const sending = createDeferred<ServerResponse>();
  const sent = createDeferred<Promise<void>>();
  let events = 0;
  async function* run(signal: AbortSignal): AsyncGenerator {
    while (!signal.aborted) {
      events += 1;
      yield { type: 'text-delta', text: 'x'.repeat(EVENT_BYTES) };
    }
  }
  const server = createServer((_request, raw) => {
    sending.resolve(raw);
    sent.resolve(sendEvents({ hijack: () => ({ raw }) }, run));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const request = get({ host: '127.0.0.1', port, agent: false });
  const [reading] = await once(request, 'response');
  // What the kernel holds for a reader who takes nothing is bounded by itself.
  const response = await sending.promise;
  await expect
    .poll(() => {
      const before = events;
      return response.writableNeedDrain && events === before;
    })
    .toBe(true);
  const before = events;
  await new Promise((resolve) => setImmediate(resolve));
  expect(response.writableLength).toBeLessThan(4 * EVENT_BYTES);
  expect(events).toBe(before);
  reading.destroy();
  await sent.promise;
});

it('a run ends when its reader has taken nothing for a minute [waiting/browser]', async () => {
  const { sendEvents } = await loadExample<EventStreamModule>('event-stream.mjs');
  const sent = createDeferred<Promise<void>>();
  async function* run(signal: AbortSignal): AsyncGenerator {
    while (!signal.aborted) yield { type: 'text-delta', text: 'x'.repeat(EVENT_BYTES) };
  }
  const server = createServer((_request, raw) => {
    const setTimeoutOf = raw.setTimeout.bind(raw);
    raw.setTimeout = (ms, onTimeout) => setTimeoutOf(ms / FASTER, onTimeout);
    sent.resolve(sendEvents({ hijack: () => ({ raw }) }, run));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const request = get({ host: '127.0.0.1', port, agent: false });
  const [reading] = await once(request, 'response');
  reading.on('error', () => {});
  await expect(sent.promise).resolves.toBeUndefined();
});

it('a reader who leaves ends all runs of its connection, also those that are sent later', async () => {
  const { makeServer } = await loadRoutes();
  const running = new Set<string>();
  const bothRun = createDeferred<void>();
  let answers = 0;
  const conversations = {
    belongsTo: () => true,
    isRunning: () => false,
    async *say(id: string, _user: string, _input: unknown, signal: AbortSignal): AsyncGenerator {
      running.add(id);
      if (running.size === 2) bothRun.resolve();
      yield { type: 'text-delta', text: 'Wait.' };
      if (!signal.aborted) await once(signal, 'abort');
      running.delete(id);
    },
    close: async () => {},
  };
  const beginAnswer = (): (() => void) => {
    answers += 1;
    return () => void (answers -= 1);
  };
  const quota = { ask: () => 0, beginAnswer };
  const server = makeServer({ conversations, quota, approvals: {}, hostNames: [] });
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(requestFor('1') + requestFor('2'));
  await bothRun.promise;
  expect(answers).toBe(2);
  socket.destroy();
  await expect.poll(() => [...running]).toEqual([]);
  await expect.poll(() => answers).toBe(0);
  await expect(server.close()).resolves.toBeUndefined();
});

it('a server that closes does not wait for a reader who takes nothing', async () => {
  const { makeServer } = await loadRoutes();
  const closing = new AbortController();
  let events = 0;
  const conversations = {
    belongsTo: () => true,
    isRunning: () => false,
    async *say(): AsyncGenerator {
      while (!closing.signal.aborted) {
        events += 1;
        yield { type: 'text-delta', text: 'x'.repeat(EVENT_BYTES) };
      }
    },
    close: async () => closing.abort(),
  };
  const quota = { ask: () => 0, beginAnswer: () => () => {} };
  const server = makeServer({ conversations, quota, approvals: {}, hostNames: [] });
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1').pause();
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(requestFor('1'));
  await untilStalled(() => events);
  await expect(server.close()).resolves.toBeUndefined();
});
