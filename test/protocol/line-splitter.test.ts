import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/protocol/line-splitter.ts';

/** The same bytes, cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

function split(chunks: readonly Buffer[], limit = 1_000_000): { lines: string[]; rest: string } {
  const splitter = new LineSplitter(limit);
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  return {
    lines: lines.map((bytes) => bytes.toString('utf8')),
    rest: splitter.takeRest().toString('utf8'),
  };
}

const texts = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'é', '€', '🙂', '\r', '\0') }))
  .map((lines) => lines.join('\n'));

/** Lines, some of which begin with data. */
const linesWithData = fc.array(
  fc.tuple(
    fc.option(fc.string({ unit: fc.constantFrom('a', '\n', '_') })),
    fc.constantFrom('', 'b'),
  ),
);

describe('bytes that are cut into lines', () => {
  it('give the same lines wherever they are split, whatever data is in front of them', () => {
    fc.assert(
      fc.property(linesWithData, fc.array(fc.nat()), (value, places) => {
        const expected = value.map(([data, end]) =>
          data === null ? end : `__PTC_DATA__${String(data.length).padStart(6, '0')}${data}${end}`,
        );
        const bytes = Buffer.from(expected.map((line) => `${line}\n`).join(''));
        expect(split(cut(bytes, places))).toEqual({ lines: expected, rest: '' });
      }),
      { numRuns: 500 },
    );
  });

  it('with more data than a line can have are refused', () => {
    const data = `__PTC_DATA__000100${'\n'.repeat(50)}`;
    expect(() => split([Buffer.from(data)], 50)).toThrow(/more than 50 bytes/);
  });

  it.each(['__PTC_DATA__00001x', '__PTC_DATA__-00001', '__PTC_DATA_', '__PTC_DATE__000001'])(
    'end at the first newline after %s, which is not data',
    (begin) => {
      expect(split([Buffer.from(`${begin}\n\n`)]).lines).toEqual([begin, '']);
    },
  );

  it('give the same lines wherever they are split, inside characters too [case 60]', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (value, places) => {
        const expected = value.split('\n');
        const rest = expected.pop();
        expect(split(cut(Buffer.from(value), places))).toEqual({ lines: expected, rest });
      }),
      { numRuns: 500 },
    );
  });

  it('give all lines of one chunk, empty ones included', () => {
    expect(split([Buffer.from('a\n\nb\n\n')])).toEqual({ lines: ['a', '', 'b', ''], rest: '' });
  });

  it('are refused as soon as a line is too long, complete or not [case 64, waiting/bytes]', () => {
    const splitter = new LineSplitter(10);
    expect([...splitter.push(Buffer.from('0123456789'))]).toEqual([]);
    expect(() => [...splitter.push(Buffer.from('x'))]).toThrow(
      expect.objectContaining({
        code: 'PROTOCOL_VIOLATION',
        details: { limitBytes: 10 },
      }),
    );
    expect(() => split([Buffer.from('0123456789x\n')], 10)).toThrow(/more than 10 bytes/);
    expect(split([Buffer.from('0123456789\n0123456789\n')], 10).lines).toHaveLength(2);
  });

  it('give the lines before one that is too long', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter(4);
    expect(() => {
      for (const line of splitter.push(Buffer.from('ok\ntoo long\n'))) lines.push(line.toString());
    }).toThrow(/more than 4 bytes/);
    expect(lines).toEqual(['ok']);
  });

  it('are not kept any more once a line was too long [waiting/bytes]', () => {
    const splitter = new LineSplitter(4);
    expect(() => [...splitter.push(Buffer.from('too long'))]).toThrow(/more than 4/);
    expect(splitter.takeRest()).toHaveLength(0);
  });
});
