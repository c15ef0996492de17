import { describe, expect, it } from 'vitest';
import { shapeText } from '../../../src/languages/shapes/shape-text.ts';
import { ResultShape } from '../../../src/tools/shapes/read-shape.ts';

/** The shape of results, as a program in Python is told it. */
function shapeOf(...results: readonly unknown[]): string {
  return shapeOfTexts(...results.map((result) => JSON.stringify(result)));
}

function shapeOfTexts(...texts: readonly string[]): string {
  const shape = new ResultShape();
  for (const text of texts) shape.read(text);
  return shapeText(shape, 'python', 10_000);
}

describe('the shape of a result', () => {
  it.each<[string, unknown, string]>([
    ['text', 'a "quoted" \\ word', 'str'],
    ['an integer', -12, 'int'],
    ['a number with a fraction', 0.5, 'float'],
    ['a number with an exponent', 1e21, 'float'],
    ['true', true, 'bool'],
    ['false', false, 'bool'],
    ['nothing', null, 'None'],
    ['an empty object', {}, '{}'],
    ['an empty list', [], 'an empty list'],
    ['a list', [1, 2, 3], 'a list of 3 of int'],
    ['a list of lists', [[1], [2, 3], []], 'a list of 3 of list of 0 to 2 of int'],
    ['a list of empty lists', [[], []], 'a list of 2 of empty list'],
    ['an object', { a: { b: [true] }, c: '' }, '{a: {b: list of 1 of bool}, c: str}'],
    ['a list of objects', [{ a: 1, b: 2 }, { a: 1 }], 'a list of 2 of {a: int, b?: int}'],
    ['different values', [1, 'a', null, 0.5], 'a list of 4 of (str | float | None)'],
    [
      'values with and without parts',
      [{ a: 1 }, [1], 'x'],
      'a list of 3 of ({a: int} | list of 1 of int | str)',
    ],
    ['fields that may be null', [{ a: null }, { a: 1 }], 'a list of 2 of {a: int | None}'],
    ['text with braces, brackets and quotes', { a: '}],"{[\\', b: 1 }, '{a: str, b: int}'],
    [
      'names that are not identifiers',
      { 'first-name': 1, '@type': 2 },
      '{"first-name": int, "@type": int}',
    ],
    ['names in other scripts', { größe: 1, 名前: 2 }, '{größe: int, 名前: int}'],
  ])('says of %s what it is', (_what, result, expected) => {
    expect(shapeOf(result)).toBe(expected);
  });

  it('is in the words of TypeScript for programs in it', () => {
    const shape = new ResultShape();
    shape.read(JSON.stringify([{ a: 1, b: 0.5, c: 'x', d: null, e: true, f: [] }, 1]));
    expect(shapeText(shape, 'typescript', 1000)).toBe(
      'an array of 2 of ({a: number, b: number, c: string, d: null, e: boolean, f: empty array} | number)',
    );
  });

  it('contains all results', () => {
    expect(shapeOf([{ a: 1 }], [], [{ a: 'x' }, { b: 1 }])).toBe(
      'a list of 0 to 2 of {a?: str | int, b?: int}',
    );
    expect(shapeOf({ a: 1 }, { a: 2, b: 1 }, null)).toBe('{a: int, b?: int} | None');
  });

  it('is added to another shape', () => {
    const results = [[{ a: 1, list: [1] }], [{ a: null }], { a: 7 }, 'x', [{ b: { c: 1 } }]];
    for (let split = 0; split <= results.length; split += 1) {
      const [first, second] = [new ResultShape(), new ResultShape()];
      for (const [index, result] of results.entries()) {
        (index < split ? first : second).read(JSON.stringify(result));
      }
      first.add(second);
      expect(shapeText(first, 'python', 1000)).toBe(shapeOf(...results));
    }
  });

  it('shows no value of a result', () => {
    const secret = 'S3CRET';
    const shape = shapeOf([
      { a: secret, b: [secret], c: { d: secret }, [`${secret}@example.com`]: secret },
      secret,
    ]);
    expect(shape).toBe(
      'a list of 2 of ({a: str, b: list of 1 of str, c: {d: str}, [key: str]: str} | str)',
    );
  });
});

describe('keys that are data', () => {
  it.each<[string, object]>([
    ['addresses', { 'alice@example.com': 1, 'bob@example.com': 2 }],
    ['ids', { ord_12345: 1, ord_67890: 2 }],
    ['UUIDs', { 'a3f1c2d4-1111-4222-8333-944455556666': 1 }],
    ['dates', { '2026-01-02': 1, '2026-01-03': 2 }],
    ['numbers', { 7: 1, 12: 2 }],
    ['sentences', { 'Who is there?': 1 }],
    ['names of people', { 'Ada Lovelace': 1, 'Alan Turing': 2 }],
    ['long words', { ['x'.repeat(41)]: 1 }],
    ['tokens', { ghp_16C7e42F292c6912E7710c838347Ae178B4a: 1 }],
    ['what changes the prototype of objects', JSON.parse('{"__proto__": 1}') as object],
    ['quotes and line breaks', { 'a"\n': 1 }],
    ['nothing', { '': 1 }],
  ])('are not shown: %s', (_what, result) => {
    expect(shapeOf(result)).toBe('{[key: str]: int}');
  });

  it('leave the names of fields beside them', () => {
    expect(shapeOf({ total: 3, 'alice@example.com': 'x' })).toBe('{total: int, [key: str]: str}');
  });

  it('are not shown if there are many', () => {
    const words = Array.from({ length: 33 }, (_, index) => 'x'.repeat(index + 1));
    const mapOf = (count: number, value: unknown): object =>
      Object.fromEntries(words.slice(0, count).map((word) => [word, value]));
    expect(shapeOf(mapOf(32, 1))).toContain('x: int');
    expect(shapeOf(mapOf(33, 1))).toBe('{[key: str]: int}');
    // However few names there is room for.
    expect(shapeOf({ a: { b: { c: { d: mapOf(33, 1) } } } })).toBe(
      '{a: {b: {c: {d: {[key: str]: int}}}}}',
    );
    expect(shapeOf(mapOf(12, { price: 1 }))).toContain('x: {price: int}');
    const map = mapOf(13, { price: 1 });
    expect(shapeOf(map)).toBe('{[key: str]: {price: int}}');
    expect(shapeOf([map, { zebra: { price: 0.5, note: 'x' } }])).toBe(
      'a list of 2 of {[key: str]: {price: float, note?: str}}',
    );
  });

  it('are not shown if each object has others', () => {
    const results = ['ada', 'alan', 'grace', 'kurt', 'emmy', 'john', 'rosa', 'marie'].map(
      (name) => ({ [name]: 1 }),
    );
    expect(shapeOf(results.slice(0, 7))).toContain('ada?: int');
    expect(shapeOf(results)).toBe('a list of 8 of {[key: str]: int}');
    expect(shapeOf(...results)).toBe('{[key: str]: int}');
    const withId = results.map((result) => ({ id: 1, ...result }));
    expect(shapeOf(withId)).toBe('a list of 8 of {id: int, [key: str]: int}');
  });
});

describe('the shape of any text is bounded', () => {
  it('in depth', () => {
    const nested = (open: string, close: string, depth: number): string =>
      `${open.repeat(depth)}1${close.repeat(depth)}`;
    expect(shapeOfTexts(nested('[', ']', 7))).toBe(
      `a list of 1 of ${'list of 1 of '.repeat(4)}list of 1`,
    );
    expect(shapeOfTexts(nested('{"a":', '}', 10_000))).toBe(
      `${'{a: '.repeat(6)}Any${'}'.repeat(6)}`,
    );
    expect(shapeOfTexts(nested('[', ']', 1_000_000))).toContain('list of 1');
    expect(shapeOfTexts('['.repeat(1_000_000))).toContain('0 or more');
  });

  it('in names', () => {
    const name = (index: number): string =>
      'abcdefghij'
        .split('')
        .map((letter) => letter + index)
        .join('');
    const wide = (depth: number): object =>
      Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [name(index), depth === 0 ? 1 : wide(depth - 1)]),
      );
    expect(shapeOf(wide(3)).length).toBeLessThan(4000);
    const long = Object.fromEntries(
      Array.from({ length: 32 }, (_, index) => [
        `${'x'.repeat(38)}${String.fromCodePoint(97 + (index % 26))}`,
        [{ a: 1 }],
      ]),
    );
    expect(shapeOf(long).length).toBeLessThan(4000);
  });

  it('so that the names of deeper parts leave room for those above them', () => {
    const deep = Object.fromEntries(
      Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => [
        letter,
        { [letter]: [{ [letter]: 1 }] },
      ]),
    );
    const text = shapeOf([{ deep: [deep, deep], id: 1, name: 'x', total: 1 }]);
    expect(text).toMatch(/^a list of 1 of \{deep: .*, id: int, name: str, total: int\}$/);
  });

  it('in memory, however large the result is', () => {
    const shape = new ResultShape();
    shape.read(
      `[${Array.from({ length: 200_000 }, (_, id) => `{"id":${id},"k${id}":"x"}`).join(',')}]`,
    );
    expect(shapeText(shape, 'python', 1000)).toBe('a list of 200000 of {id: int, [key: str]: str}');
    expect(
      JSON.stringify(shape, (_key, value) => (value instanceof Map ? [...value] : value)).length,
    ).toBeLessThan(2000);
  });
});

describe('the beginning of a text', () => {
  const RESULT = [
    { id: 1, name: 'a "b" \\', tags: ['x', 'y'], at: null, ok: true, price: 1.5e22 },
    { id: -2, name: '', tags: [], at: { year: 2026 }, ok: false, more: [[1], {}] },
  ];
  const text = JSON.stringify(RESULT);

  it('has a shape that all of it could have, wherever it ends', () => {
    for (let end = 0; end < text.length; end += 1) {
      const shape = new ResultShape();
      shape.read(text.slice(0, end));
      expect(shape.isCut).toBe(true);
      const [list] = [shape.shape.list];
      if (end > 0) expect(list).toMatchObject({ isCut: true });
      expect(list?.longest ?? 0).toBeLessThanOrEqual(2);
    }
    const whole = new ResultShape();
    whole.read(text);
    expect(whole.isCut).toBe(false);
  });

  it('says that a list may be longer, and calls no field optional that it did not reach', () => {
    const list = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: 'x' })));
    expect(shapeOfTexts(list.slice(0, 195))).toBe('a list of 9 or more of {id: int, name: str}');
    expect(shapeOfTexts('{"id":1,"rows":[{"a":1},{"a"')).toBe(
      '{id: int, rows: list of 1 or more of {a: int}}',
    );
  });

  it('can be no JSON at all', () => {
    for (const wrong of [
      '',
      'x',
      '[x',
      '[1 2]',
      '{x',
      '{"a"',
      '{"a":x}',
      '[,,]',
      '[1}',
      '[}',
      '{"a":1]',
      '{"a":1]"',
      ']',
      '"',
      '\\',
      '[1',
      '{"a":1,',
    ]) {
      expect(shapeOfTexts(wrong)).toEqual(expect.any(String));
    }
  });
});
