import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../src/protocol/frames.ts';
import { LineSplitter } from '../../src/protocol/line-splitter.ts';
import type { ToolCallMessage } from '../../src/protocol/call-messages.ts';
import {
  anyBytes,
  cut,
  cuts,
  hostileJson,
  rightLine,
  toolCallLine,
  wrongLine,
} from './arbitraries.ts';
import {
  costOfGrowth,
  GROWTH,
  LINEAR,
  expectNoPollution,
  objectsIn,
  retainedBytes,
  typedOnly,
} from './judgements.ts';

/** Half of a surrogate pair, as `JSON.stringify` escapes it. */
const BROKEN_CHARACTER = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;
const RUNS = { numRuns: 1000 };
const MEGABYTE = 1_000_000;
const VIOLATION = ['PROTOCOL_VIOLATION'] as const;

/** The lines of some chunks, and whether one was refused. */
function split(chunks: readonly Buffer[], limit: number): { lines: string[]; refused: boolean } {
  const splitter = new LineSplitter(limit);
  const lines: string[] = [];
  const done = typedOnly(VIOLATION, () => {
    for (const chunk of chunks)
      for (const line of splitter.push(chunk)) lines.push(line.toString('hex'));
    lines.push(splitter.takeRest().toString('hex'));
    return true;
  });
  return { lines, refused: done !== true };
}

describe('lines of any bytes', () => {
  it('are the same wherever the bytes are cut, and so is the refusal of one that is too long [case 60]', () => {
    fc.assert(
      fc.property(anyBytes, cuts, fc.integer({ min: 1, max: 200 }), (bytes, places, limit) => {
        expect(split(cut(bytes, places), limit)).toEqual(split([bytes], limit));
      }),
      RUNS,
    );
  });

  it('are never longer than the limit [host/frame-size]', () => {
    fc.assert(
      fc.property(anyBytes, cuts, fc.integer({ min: 1, max: 60 }), (bytes, places, limit) => {
        const { lines } = split(cut(bytes, places), limit);
        expect(Math.max(...lines.map((line) => line.length / 2), 0)).toBeLessThanOrEqual(limit);
      }),
      RUNS,
    );
  });

  it('take time in proportion to their bytes, cut into small pieces and without a newline [case 64, host/event-loop]', async () => {
    const piece = Buffer.alloc(64, 'x');
    const cost = await costOfGrowth(10_000, (pieces) => {
      const splitter = new LineSplitter(Infinity);
      for (let sent = 0; sent < pieces; sent += 1) for (const _ of splitter.push(piece)) void _;
      splitter.takeRest();
    });
    expect(cost).toBeLessThan(LINEAR);
  });

  it('take time in proportion to their bytes, all newlines in one piece', async () => {
    const cost = await costOfGrowth(20_000, (lines) => {
      for (const _ of new LineSplitter(10).push(Buffer.alloc(lines, '\n'))) void _;
    });
    expect(cost).toBeLessThan(LINEAR);
  });

  it.each([1, 7, 1000])('hold no more than their bytes while pieces of %d come', async (size) => {
    const bytes = await retainedBytes(() => {
      const splitter = new LineSplitter(64 * MEGABYTE);
      // Pieces of one chunk, as an engine's attach stream has them, with a header before each.
      for (let sent = 0; sent < MEGABYTE;) {
        const chunk = Buffer.alloc(64 * 1024, 'x');
        for (let place = 8; place < chunk.length && sent < MEGABYTE; place += size + 8) {
          const part = chunk.subarray(place, place + size);
          for (const _ of splitter.push(part)) void _;
          sent += part.length;
        }
      }
      return splitter;
    });
    expect(bytes).toBeLessThan(4 * MEGABYTE);
  });
});

describe('a line of a runner', () => {
  it('of the protocol is a message, without a word of anything else [host/frame-fields]', () => {
    fc.assert(
      fc.property(rightLine, ({ bytes, stream }) => {
        const message = typedOnly(VIOLATION, () => decodeLine(bytes, stream));
        expect(message?.kind).not.toBe('noise');
      }),
      RUNS,
    );
  });

  it.each([
    ['any bytes', fc.record({ bytes: anyBytes, stream: fc.constantFrom('stdout', 'stderr') })],
    ['a frame with wrong bytes', wrongLine],
  ])('%s is read or refused with a typed error, and changes no prototype', (_, lines) => {
    fc.assert(
      fc.property(lines, ({ bytes, stream }) => {
        const message = typedOnly(VIOLATION, () => decodeLine(bytes, stream as 'stdout'));
        if (message?.kind === 'tool-call') expectCleanArguments(message);
        expect(Reflect.get({}, 'polluted')).toBeUndefined();
        expectNoPollution();
      }),
      RUNS,
    );
  });

  it('gives arguments as they were sent, or refuses the call for a key that names a prototype or for a broken character', () => {
    fc.assert(
      fc.property(hostileJson, (json) => {
        const { bytes, stream } = toolCallLine('1', 'c', 'tool', json);
        const message = decodeLine(bytes, stream);
        if (message.kind !== 'tool-call') throw new Error(message.kind);
        const sent: unknown = JSON.parse(json);
        const isHostile =
          objectsIn(sent).some((object) => Object.hasOwn(object, '__proto__')) ||
          BROKEN_CHARACTER.test(JSON.stringify(sent));
        expect(message.refusal !== undefined).toBe(isHostile);
        expectCleanArguments(message);
        expect(JSON.stringify(message.arguments)).toBe(isHostile ? '{}' : JSON.stringify(sent));
      }),
      RUNS,
    );
  });

  it.each([
    ['lists', '['.repeat(MEGABYTE), ''],
    ['objects', '{"a":'.repeat(MEGABYTE), ''],
    ['closed lists', '['.repeat(65), ']'.repeat(65)],
    ['closed objects', '{"a":'.repeat(65), `1${'}'.repeat(65)}`],
    ['many keys', `{${manyKeys(100_001)}}`, ''],
  ])('that is too much to parse is refused: %s', (_, open, close) => {
    const { bytes, stream } = toolCallLine('1', 'c', 'tool', `{"x":${open}${close}}`);
    expect(() => decodeLine(bytes, stream)).toThrow(
      expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }),
    );
  });

  it.each([
    ['long strings', (size: number) => JSON.stringify({ x: 'y'.repeat(size * 10) })],
    ['escapes', (size: number) => `{"x":"${String.raw`\"\\`.repeat(size * 2)}"}`],
    ['many strings', (size: number) => `{"x":[${'"",'.repeat(size)}""]}`],
    ['many numbers', (size: number) => `{"x":[${'-1.5e3,'.repeat(size)}1]}`],
    ['one long number', (size: number) => `{"x":${'1'.repeat(size * 4)}}`],
    ['start markers', (size: number) => `{"x":"${'__PTC_TOOL_CALL__'.repeat(size)}"}`],
    ['quotes that close nothing', (size: number) => '"\\'.repeat(size)],
    ['different keys', (size: number) => `{${manyKeys(Math.floor(size / 4))}}`],
  ])('takes time in proportion to its bytes: %s', async (_, make) => {
    const lines = new Map(
      [10_000, 10_000 * GROWTH].map((size) => [size, toolCallLine('1', 'c', 'tool', make(size))]),
    );
    const cost = await costOfGrowth(10_000, (size) => {
      const { bytes, stream } = lines.get(size) ?? toolCallLine('', '', '', '{}');
      const unlimited = { bytes: Infinity, values: Infinity };
      for (let turn = 0; turn < 3; turn += 1)
        typedOnly(VIOLATION, () => decodeLine(bytes, stream, unlimited));
    });
    expect(cost).toBeLessThan(LINEAR);
  });
});

function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');
}

/** @throws where an object could pass something on that nobody sent. */
function expectCleanArguments(message: ToolCallMessage): void {
  if (message.refusal !== undefined) return expect(message.arguments).toEqual({});
  for (const object of objectsIn(message.arguments)) {
    expect(Object.getPrototypeOf(object)).toBeNull();
    expect(Object.keys(object)).not.toContain('__proto__');
  }
}
