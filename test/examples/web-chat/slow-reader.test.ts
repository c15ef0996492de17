import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';

const EVENT_BYTES = 65_536;

interface EventStreamModule {
  readonly sendEvents: (
    reply: unknown,
    run: (signal: AbortSignal) => AsyncIterable<unknown>,
  ) => Promise<void>;
}

it('a run waits for a reader who takes no more, and ends when the reader has gone [waiting/browser]', async () => {
  const path: string = '../../../examples/web-chat/event-stream.mjs';
  const { sendEvents } = (await import(path)) as EventStreamModule;
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
