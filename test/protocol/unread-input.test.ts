import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';

const DELTA =
  '__PTC_OUTPUT_DELTA__{"execution_id":"1","stream":"stdout","text":"hi","omitted_bytes":0}__PTC_END_OUTPUT_DELTA__\n';

/** A transport that has sent more than fits into its runner's input. */
function withUnreadInput(): { readonly transport: StreamTransport; readonly stdin: PassThrough } {
  const stdin = new PassThrough();
  const transport = new StreamTransport({ stdin, destroy: () => {} });
  transport.send({ kind: 'cancel', execution_id: '7' });
  expect(transport.taken).toBeUndefined();
  const text = JSON.stringify('x'.repeat(100_000));
  transport.send({ kind: 'tool-result', call_id: '1', result: { text }, error: null });
  return { transport, stdin };
}

afterEach(() => void vi.useRealTimers());

describe('what a transport has sent', () => {
  it('is taken when the runner has read it [waiting/results]', async () => {
    const { transport, stdin } = withUnreadInput();
    const { taken } = transport;
    expect(transport.taken).toBe(taken);
    let isTaken = false;
    const read = taken?.then(() => (isTaken = true));
    await nextTurn();
    expect(isTaken).toBe(false);
    stdin.resume();
    await read;
    expect(transport.taken).toBeUndefined();
  });

  it('keeps nothing waiting for a runner whose input was closed', async () => {
    const { transport, stdin } = withUnreadInput();
    const { taken } = transport;
    expect(taken).toBeDefined();
    stdin.destroy();
    await taken;
  });

  it('keeps nothing waiting after the transport is destroyed, also if its input stays open', async () => {
    const { transport, stdin } = withUnreadInput();
    const { taken } = transport;
    expect(taken).toBeDefined();
    transport.destroy();
    await taken;
    expect(stdin.destroyed).toBe(false);
  });

  it('starts no timer if it fails after the end, so that the process can end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const written = createDeferred<(error: Error) => void>();
    const stdin = new Writable({ write: (_chunk, _encoding, done) => written.resolve(done) });
    const transport = new StreamTransport({ stdin, destroy: () => {} });
    transport.send({ kind: 'cancel', execution_id: '7' });
    const fail = await written.promise;
    transport.destroy();
    fail(new Error('EPIPE'));
    await new Promise((resolve) => stdin.once('close', resolve));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not hide what a runner wrote before it ended', async () => {
    const stdin = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const transport = new StreamTransport({ stdin, destroy: () => {} });
    const told: unknown[] = [];
    const closed = createDeferred<Error | undefined>();
    transport.listen({
      message: ({ kind }) => told.push(kind),
      closed: (error) => closed.resolve(error),
    });
    transport.send({ kind: 'tool-result', call_id: '1', result: { text: '1' }, error: null });
    await new Promise((resolve) => stdin.once('close', resolve));
    transport.receive('stdout', Buffer.from(DELTA));
    transport.end(new Error('The runner has ended.'));
    expect(await closed.promise).toMatchObject({ message: 'The runner has ended.' });
    expect(told).toEqual(['output-delta']);
  });
});
