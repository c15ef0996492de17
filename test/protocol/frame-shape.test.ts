import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../src/protocol/frames.ts';
import { MAX_FRAME_DEPTH, shapeOfFrame } from '../../src/protocol/frame-shape.ts';

const MAX_VALUES = 1000;

const excessOf = (json: string): string | undefined => shapeOfFrame(json, MAX_VALUES).excess;

/** The values of parsed JSON, counted the slow way: brackets and commas outside text. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return (
    Math.max(1, members.length) + members.reduce((sum, member) => sum + countValues(member), 0)
  );
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function callWith(args: string): ReturnType<typeof decodeLine> {
  const body = `{"execution_id":"1","call_id":"1","tool_name":"t","arguments":${args}}`;
  return decodeLine(Buffer.from(`__PTC_TOOL_CALL__${body}__PTC_END_CALL__`), 'stderr');
}

describe('the shape of a frame', () => {
  it('may be as deep as the limit, and no deeper [case 67, host/frame-size]', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(excessOf(nested(MAX_FRAME_DEPTH))).toBeUndefined();
    expect(excessOf(nested(MAX_FRAME_DEPTH + 1))).toMatch(/nested more than 64/);
    expect(excessOf('{"a":'.repeat(5_000_000))).toMatch(/nested more than 64/);
  });

  it('may have as many values as the limit, and no more [case 72, host/frame-size]', () => {
    const list = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;
    expect(excessOf(list(MAX_VALUES))).toBeUndefined();
    expect(excessOf(list(MAX_VALUES + 1))).toMatch(/more than 1000 values/);
  });

  it.each([
    ['brackets and commas', `"${'[{,'.repeat(200_000)}"`],
    ['escaped quotes', `"${'\\"[,'.repeat(200_000)}"`],
    ['escaped backslashes', `["${'\\\\'.repeat(200_000)}"]`],
    ['no end', `"${'[,'.repeat(200_000)}`],
  ])('is not changed by %s in a text', (_, json) => {
    expect(excessOf(json)).toBeUndefined();
  });

  it('agrees with what a parser finds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const json = JSON.stringify(value);
        const limitless = excessOf(json);
        const tooDeep = depthOf(value) > MAX_FRAME_DEPTH;
        const tooMany = countValues(value) > MAX_VALUES;
        expect(limitless === undefined).toBe(!tooDeep && !tooMany);
      }),
    );
  });

  it('of what is no JSON is looked at without harm', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...String.raw`[ ] { } " , : - 0 e . \ a`.split(' ')) }),
        (text) => {
          expect(excessOf(text)).toBeUndefined();
        },
      ),
    );
  });
});

describe('the arguments of a call', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1152921504606846976',
    '18446744073709551616',
    '9007199254740993.0',
    '-9007199254740993e0',
    '90071992547409930e-1',
    '0.9007199254740993e16',
    '9007199254740992.5',
    '123456789012345678.0',
  ])('with the number %s are refused and not rounded [case 71]', (number) => {
    const call = callWith(`{"a":[${number}]}`);
    expect(call).toMatchObject({ kind: 'tool-call', call_id: '1', arguments: {} });
    expect(call).toMatchObject({ refusal: expect.stringContaining(number) });
  });

  it.each(['1e400', '-1e400', '1e999999999', '1'.repeat(1000), `${'9'.repeat(400)}.5`])(
    'with the number %s are refused, because it would be infinite [case 71]',
    (number) => {
      const call = callWith(`{"a":{"b":[${number}]}}`);
      expect(call).toMatchObject({ arguments: {} });
      expect(call).toMatchObject({ refusal: expect.stringMatching(/too large/) });
    },
  );

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '9876543210123456',
    '-1152921504606847000',
    '1e300',
    '0.1234567890123456789',
    '1E+22',
    '9007199254740992.0',
    '72057594037927936.0',
    '7.205759403792794e+16',
    '1.7976931348623157e+308',
    '4.9406564584124654e-324',
  ])('with the number %s arrive', (number) => {
    expect(callWith(`{"a":${number}}`)).toEqual({
      kind: 'tool-call',
      execution_id: '1',
      call_id: '1',
      tool_name: 't',
      arguments: { a: Number(number) },
    });
  });

  it('take every number that JavaScript and Python print for a double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const text = JSON.stringify(double);
        // JavaScript prints integers up to 1e21 without a fraction, Python with one.
        const printed = /^-?\d+$/.test(text) ? `${text}.0` : text;
        expect(callWith(`{"a":${printed}}`)).not.toHaveProperty('refusal');
      }),
    );
  });

  it.each([
    [
      'a text',
      String.raw`{"list":["a\ud800"]}`,
      /^list\[0\]: the text has half of a surrogate pair/,
    ],
    [
      'a key',
      String.raw`{"list":[{"\udc00x":1}]}`,
      /^list\[0\]: a key has half of a surrogate pair/,
    ],
  ])('with half of a surrogate pair in %s are refused', (_, args, reason) => {
    expect(callWith(args)).toMatchObject({ arguments: {}, refusal: expect.stringMatching(reason) });
  });

  it('with a number of a hundred thousand zeros are refused, or taken, at once', () => {
    // The square of so many would take seconds; the runner's own numbers have some twenty digits.
    for (const zeros of ['0'.repeat(100_000), `${'0'.repeat(100_000)}1`]) {
      const before = process.cpuUsage();
      callWith(`{"a":[1${'0'.repeat(20)}.${zeros}]}`);
      const { user, system } = process.cpuUsage(before);
      expect(user + system).toBeLessThan(2_000_000);
    }
  });

  it('with whole surrogate pairs arrive', () => {
    const call = callWith(String.raw`{"\ud83d\ude00":"\ud83d\ude00"}`);
    expect(call).toMatchObject({ arguments: { '😀': '😀' } });
  });

  it('are refused with a short reason, however long the way to the fault is', () => {
    const key = 'k'.repeat(100_000);
    const call = callWith(`{"${key}":{"${key}":"\\ud800"}}`);
    expect((call as { refusal: string }).refusal.length).toBeLessThan(400);
  });

  it('with a key __proto__, however it is written, are refused, and the way to it is told [case 68]', () => {
    for (const key of ['__proto__', '\\u005f_proto__']) {
      const call = callWith(`{"list":[{"${key}":{"x":1}}]}`);
      expect(call).toMatchObject({ refusal: expect.stringMatching(/^list\[0\]\.__proto__: /) });
    }
  });

  it('inherit nothing, at any depth [case 68, every/plain-objects]', () => {
    const call = callWith('{"a":[{"b":{}}]}');
    const found: unknown[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Array.isArray(value)) found.push(Object.getPrototypeOf(value));
      Object.values(value).forEach(visit);
    };
    visit((call as { arguments: unknown }).arguments);
    expect(found).toEqual([null, null, null]);
  });

  it('cannot bring a refusal of their own', () => {
    const body =
      '{"refusal":{"x":1},"execution_id":"1","call_id":"1","tool_name":"t","arguments":{}}';
    const line = Buffer.from(`__PTC_TOOL_CALL__${body}__PTC_END_CALL__`);
    expect(decodeLine(line, 'stderr')).not.toHaveProperty('refusal');
  });
});
