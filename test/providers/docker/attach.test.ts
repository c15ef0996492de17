import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  attachTransport,
  StreamDemultiplexer,
} from '../../../src/providers/docker/container/attach.ts';
import type { OutputStream } from '../../../src/protocol/messages.ts';

interface Part {
  readonly stream: OutputStream;
  readonly payload: Uint8Array;
}

function encodePart({ stream, payload }: Part): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream === 'stdout' ? 1 : 2, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

function demultiplex(chunks: readonly Buffer[]): Record<OutputStream, string> {
  const received: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  const demultiplexer = new StreamDemultiplexer((stream, chunk) => received[stream].push(chunk));
  for (const chunk of chunks) demultiplexer.push(chunk);
  return {
    stdout: Buffer.concat(received.stdout).toString('hex'),
    stderr: Buffer.concat(received.stderr).toString('hex'),
  };
}

/** Cuts bytes at the given places, which are taken modulo their number. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const stream = fc.constantFrom<OutputStream>('stdout', 'stderr');
/** Payloads among which are some that look like parts. */
const payload = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.uint8Array({ maxLength: 20 }).map((inner) => encodePart({ stream: 'stderr', payload: inner })),
);
const parts = fc.array(fc.record({ stream, payload }), { maxLength: 12 });

test('both outputs are complete wherever the attach stream is split [case 61]', () => {
  fc.assert(
    fc.property(parts, fc.array(fc.nat(), { maxLength: 30 }), (sent, places) => {
      const bytes = Buffer.concat(sent.map(encodePart));
      const of = (name: OutputStream): string =>
        sent
          .filter((part) => part.stream === name)
          .map((part) => Buffer.from(part.payload).toString('hex'))
          .join('');
      expect(demultiplex(cut(bytes, places))).toEqual({
        stdout: of('stdout'),
        stderr: of('stderr'),
      });
    }),
  );
});

test('both outputs are complete if every byte arrives alone [case 62]', () => {
  const bytes = Buffer.concat([
    encodePart({ stream: 'stderr', payload: Buffer.from('call') }),
    encodePart({ stream: 'stdout', payload: Buffer.alloc(0) }),
    encodePart({ stream: 'stdout', payload: Buffer.from('out') }),
  ]);
  const places = Array.from(bytes, (_byte, index) => index);
  expect(demultiplex(cut(bytes, places))).toEqual({
    stdout: Buffer.from('out').toString('hex'),
    stderr: Buffer.from('call').toString('hex'),
  });
});

test('a payload may be longer than 64 KiB', () => {
  const long = Buffer.alloc(70_000, 'x');
  const bytes = Buffer.concat([
    encodePart({ stream: 'stdout', payload: long }),
    encodePart({ stream: 'stderr', payload: Buffer.from('call') }),
  ]);
  expect(demultiplex([bytes])).toEqual({
    stdout: long.toString('hex'),
    stderr: Buffer.from('call').toString('hex'),
  });
});

test('a payload is passed on without being copied', () => {
  const bytes = encodePart({ stream: 'stdout', payload: Buffer.alloc(1000, 'x') });
  const received: Buffer[] = [];
  new StreamDemultiplexer((_stream, chunk) => received.push(chunk)).push(bytes);
  expect(received).toHaveLength(1);
  expect(received[0]?.buffer).toBe(bytes.buffer);
});

test('the connection is paused while there is enough to read', async () => {
  const connection = new PassThrough();
  const transport = attachTransport(connection, {
    reason: async () => undefined,
    stop: () => undefined,
  });
  const line = '__PTC_READY__{"protocol":1,"language":"python","version":"3"}__PTC_END_READY__\n';
  connection.write(encodePart({ stream: 'stdout', payload: Buffer.from(line) }));
  await setImmediate();
  expect(connection.isPaused()).toBe(true);
  transport.listen({ message: () => undefined, closed: () => undefined });
  // On a busy machine, one line may be all that a turn has time for.
  await expect.poll(() => connection.isPaused()).toBe(false);
});

test('bytes that are not an attach stream end the sandbox with an error [case 63]', async () => {
  const connection = new PassThrough();
  const transport = attachTransport(connection, {
    reason: async () => undefined,
    stop: () => undefined,
  });
  const closed = new Promise((resolve) => {
    transport.listen({ message: () => undefined, closed: resolve });
  });
  connection.write(Buffer.from('HTTP/1.1 502 Bad Gateway\r\n'));
  await expect(closed).resolves.toMatchObject({ code: 'SANDBOX_LOST' });
  expect(connection.destroyed).toBe(true);
});

test('the end of the stream is reported with its reason', async () => {
  const connection = new PassThrough();
  const reason = new Error('The sandbox ended with status 3.');
  const transport = attachTransport(connection, {
    reason: async () => reason,
    stop: () => undefined,
  });
  const closed = new Promise((resolve) => {
    transport.listen({ message: () => undefined, closed: resolve });
  });
  connection.end();
  await expect(closed).resolves.toBe(reason);
});
