import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutputStream, RunnerMessage } from '../../src/protocol/messages.ts';
import { StreamTransport } from '../../src/protocol/stream-transport.ts';
import { StreamDemultiplexer } from '../../src/providers/docker/container/attach.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { anyBytes, cut, cuts, frame, rightLine, wrongLine, type Line } from './arbitraries.ts';
import {
  costOfGrowth,
  GROWTH,
  LINEAR,
  expectNoPollution,
  retainedBytes,
  typedOnly,
} from './judgements.ts';

const RUNS = { numRuns: 1000 };
const MEGABYTE = 1_000_000;
const NEWLINE = Buffer.from('\n');

/** What came of bytes, as who listens hears of it. */
interface Heard {
  readonly messages: RunnerMessage[];
  /** The code of the error that ended it; undefined where nothing did. */
  readonly end: string | undefined;
  readonly diagnostics: string;
}

interface Piece {
  readonly stream: OutputStream;
  readonly bytes: Buffer;
}

async function hear(pieces: readonly Piece[], maxCallBytes = MEGABYTE): Promise<Heard> {
  const { transport, messages, ends } = connect(maxCallBytes);
  for (const { stream, bytes } of pieces) transport.receive(stream, bytes);
  transport.end(undefined);
  while (ends.length === 0) await nextTurn();
  const [end] = ends;
  if (end !== undefined && !(end instanceof PtcError)) {
    throw new Error('An untyped error ended it.', { cause: end });
  }
  expect(ends.length).toBeLessThanOrEqual(1);
  return { messages, end: end?.code, diagnostics: transport.diagnostics() };
}

function connect(maxCallBytes: number): {
  transport: StreamTransport;
  messages: RunnerMessage[];
  ends: (Error | undefined)[];
} {
  const transport = new StreamTransport({ stdin: new PassThrough(), destroy: () => {} });
  const messages: RunnerMessage[] = [];
  const ends: (Error | undefined)[] = [];
  const listener = {
    message: (message: RunnerMessage) => messages.push(message),
    closed: (error: Error | undefined) => ends.push(error),
  };
  transport.listen(listener, { bytes: maxCallBytes, values: 20_000 });
  return { transport, messages, ends };
}

const lines = fc.array(
  fc.oneof({ weight: 4, arbitrary: rightLine }, { weight: 1, arbitrary: wrongLine }),
  { maxLength: 8 },
);

/** All of one stream's bytes. */
function bytesOf(sent: readonly Line[], stream: OutputStream): Buffer {
  return Buffer.concat(
    sent.filter((line) => line.stream === stream).flatMap(({ bytes }) => [bytes, NEWLINE]),
  );
}

describe('a transport', () => {
  it.each(['stdout', 'stderr'] as const)(
    'hears the same wherever its %s is cut, and the same end',
    async (stream) => {
      const limits = fc.integer({ min: 20, max: 400 });
      await fc.assert(
        fc.asyncProperty(lines, cuts, limits, async (sent, places, limit) => {
          const bytes = bytesOf(sent, stream);
          const pieces = cut(bytes, places).map((piece) => ({ stream, bytes: piece }));
          expect(await hear(pieces, limit)).toEqual(await hear([{ stream, bytes }], limit));
        }),
        RUNS,
      );
    },
  );

  it('ends with a typed error or goes on, whatever comes on both streams [host/survives]', async () => {
    const piece = fc.record({
      stream: fc.constantFrom<OutputStream>('stdout', 'stderr'),
      bytes: fc.oneof(
        anyBytes,
        lines.map((sent) => Buffer.concat(sent.flatMap(({ bytes }) => [bytes, NEWLINE]))),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const { end, diagnostics } = await hear(pieces);
        expect([undefined, 'PROTOCOL_VIOLATION']).toContain(end);
        expect(diagnostics.length).toBeLessThanOrEqual(4096);
        expectNoPollution();
      }),
      RUNS,
    );
  });

  it('hears nothing more once it has ended', async () => {
    await fc.assert(
      fc.asyncProperty(wrongLine, lines, async (wrong, sent) => {
        const { transport, messages, ends } = connect(MEGABYTE);
        transport.receive(wrong.stream, Buffer.concat([wrong.bytes, NEWLINE]));
        await nextTurn();
        fc.pre(ends.length === 1);
        const heard = messages.length;
        for (const { bytes, stream } of sent) transport.receive(stream, bytes);
        expect(messages).toHaveLength(heard);
        expect(ends).toHaveLength(1);
      }),
      RUNS,
    );
  });

  it('keeps nothing of what an image prints but its diagnostics', async () => {
    const bytes = await retainedBytes(async () => {
      const { transport, messages } = connect(64 * MEGABYTE);
      for (let sent = 0; sent < 4; sent += 1) {
        const line = Buffer.concat([Buffer.alloc(3 * MEGABYTE, 'x'), NEWLINE]);
        transport.receive('stdout', line);
      }
      const { stream, bytes: ready } = frame('ready', {
        protocol: 1,
        language: 'python',
        version: '3.13.5',
      });
      transport.receive(stream, Buffer.concat([ready, NEWLINE]));
      // All lines before it have been read then, each large one in a turn of its own.
      while (messages.length === 0) await nextTurn();
      return transport;
    });
    expect(bytes).toBeLessThan(MEGABYTE);
  });

  it('takes time in proportion to what an image prints', async () => {
    const cost = await costOfGrowth(5_000, async (size) => {
      const { transport, ends } = connect(MEGABYTE);
      transport.receive('stdout', Buffer.from('banner\n'.repeat(size)));
      transport.end(undefined);
      while (ends.length === 0) await nextTurn();
    });
    expect(cost).toBeLessThan(LINEAR);
  });
});

/** A part of an engine's attach stream. */
function part({ stream, bytes }: Piece, claimedLength = bytes.length): Buffer {
  const header = Buffer.from([stream === 'stdout' ? 1 : 2, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(claimedLength, 4);
  return Buffer.concat([header, bytes]);
}

/** Both outputs of an attach stream, and how many bytes of it were passed on. */
function demultiplex(chunks: readonly Buffer[]): { stdout: string; stderr: string; end: unknown } {
  const outputs: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  const demultiplexer = new StreamDemultiplexer((stream, bytes) => outputs[stream].push(bytes));
  const end = typedOnly(['SANDBOX_LOST'], () => {
    for (const chunk of chunks) demultiplexer.push(chunk);
    return 'whole';
  });
  const text = (stream: OutputStream): string => Buffer.concat(outputs[stream]).toString('hex');
  return { stdout: text('stdout'), stderr: text('stderr'), end };
}

describe('an attach stream', () => {
  it('of any bytes gives the same outputs wherever it is cut, and only a typed error', () => {
    const bytes = fc
      .array(
        fc.oneof(
          anyBytes,
          fc
            .tuple(
              fc.constantFrom<OutputStream>('stdout', 'stderr'),
              anyBytes,
              fc.nat({ max: 300 }),
            )
            .map(([stream, payload, length]) => part({ stream, bytes: payload }, length)),
          rightLine.map(({ stream, bytes: line }) => part({ stream, bytes: line })),
        ),
        { maxLength: 8 },
      )
      .map((parts) => Buffer.concat(parts));
    fc.assert(
      fc.property(bytes, cuts, (sent, places) => {
        expect(demultiplex(cut(sent, places))).toEqual(demultiplex([sent]));
      }),
      RUNS,
    );
  });

  it('that claims the largest of lengths holds nothing for it [case 63]', async () => {
    const bytes = await retainedBytes(() => {
      let passed = 0;
      const demultiplexer = new StreamDemultiplexer((_stream, piece) => {
        passed += piece.length;
      });
      demultiplexer.push(part({ stream: 'stdout', bytes: Buffer.alloc(MEGABYTE) }, 2 ** 32 - 1));
      expect(passed).toBe(MEGABYTE);
      return demultiplexer;
    });
    expect(bytes).toBeLessThan(MEGABYTE / 2);
  });

  it('takes time in proportion to its parts, empty ones too, and to its pieces', async () => {
    const make = (size: number): Buffer =>
      Buffer.concat(
        Array.from({ length: size }, (_, index) =>
          part({ stream: 'stdout', bytes: Buffer.alloc(index % 3) }),
        ),
      );
    const streams = new Map([10_000, 10_000 * GROWTH].map((size) => [size, make(size)]));
    const cost = await costOfGrowth(10_000, (size) => {
      const bytes = streams.get(size) ?? Buffer.alloc(0);
      const demultiplexer = new StreamDemultiplexer(() => {});
      demultiplexer.push(bytes);
      for (let place = 0; place < bytes.length; place += 5) {
        demultiplexer.push(bytes.subarray(place, place + 5));
      }
    });
    expect(cost).toBeLessThan(LINEAR);
  });
});
