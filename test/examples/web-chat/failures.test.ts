import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PtcError } from '../../../src/index.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { loadExample, type EventStreamModule } from './modules.ts';

it.each([
  ['SESSION_HELD', 'Too many people are asking just now. Try again in a minute.'],
  ['QUOTA_EXCEEDED', 'You are running as many programs as allowed. Try again in a minute.'],
] as const)('a reader is told what to do about %s', async (code, message) => {
  const { sendEvents } = await loadExample<EventStreamModule>('event-stream.mjs');
  async function* run(): AsyncGenerator {
    yield { type: 'run-started' };
    throw new PtcError(code, 'what only the log has');
  }
  const sent = createDeferred<Promise<void>>();
  const log = { error: () => {} };
  const server = createServer((_request, raw) => {
    sent.resolve(sendEvents({ hijack: () => ({ raw }), log }, run));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`);
  const told = JSON.stringify({ type: 'failed', code, message });
  expect(await response.text()).toBe(`data: {"type":"run-started"}\n\ndata: ${told}\n\n`);
  await sent.promise;
});
