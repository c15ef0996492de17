import { copyJson } from '../../src/shared/json/copy-json.ts';
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { PtcError } from '../../src/shared/errors.ts';
import { formatPath, toJsonText } from '../../src/shared/json/json.ts';

function refusalOf(value: unknown): PtcError {
  try {
    toJsonText(value);
  } catch (error) {
    if (PtcError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

test('every JSON value becomes the text that JSON.stringify makes of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJsonText(value)).toBe(JSON.stringify(value));
    }),
  );
});

test('undefined is null as a whole and in arrays, and left out of objects', () => {
  expect(toJsonText(undefined)).toBe('null');
  expect(toJsonText([undefined, 1])).toBe('[null,1]');
  expect(toJsonText(Array.from({ length: 2 }))).toBe('[null,null]');
  expect(toJsonText({ a: undefined, b: 1 })).toBe('{"b":1}');
  expect(toJsonText({ toJSON: () => undefined })).toBe('null');
});

test('toJSON is honoured, with its key, wherever it stands', () => {
  const at = new Date('2026-01-02T03:04:05Z');
  expect(toJsonText({ at })).toBe('{"at":"2026-01-02T03:04:05.000Z"}');
  expect(toJsonText(new URL('http://example.com/a'))).toBe('"http://example.com/a"');
  expect(toJsonText({ a: { toJSON: (key: string) => ({ key }) } })).toBe('{"a":{"key":"a"}}');
});

test('instances of classes and objects without a prototype are sent as their own properties', () => {
  class Expense {
    readonly id = 1;
  }
  const bare: Record<string, unknown> = Object.assign(Object.create(null), { id: 2 });
  expect(toJsonText([new Expense(), bare])).toBe('[{"id":1},{"id":2}]');
});

test('an object is sent, whatever its class is called, if JSON has something of it', () => {
  class Headers {
    readonly [Symbol.toStringTag] = 'Headers';
  }
  class Held extends Headers {
    readonly id = 1;
  }
  class Told extends Headers {
    toJSON(): unknown {
      return { id: 2 };
    }
  }
  expect(toJsonText([new Held(), new Told()])).toBe('[{"id":1},{"id":2}]');
});

test.for<[string, unknown, string]>([
  ['a BigInt', { items: [0, 1, 2, { id: 1n }] }, 'result.items[3].id is a BigInt'],
  ['NaN', [Number.NaN], 'result[0] is NaN'],
  ['Infinity', { a: { b: Infinity } }, 'result.a.b is Infinity'],
  ['NaN in a Number object', { a: Object(Number.NaN) }, 'result.a is NaN'],
  ['a function', { 'odd key': () => 1 }, 'result["odd key"] is a function'],
  ['a symbol', [[Symbol('s')]], 'result[0][0] is a symbol'],
  ['a Map', { map: new Map() }, 'result.map is a Map'],
  ['a Set', new Set([1]), 'result is a Set'],
  [
    'a Buffer, in spite of its toJSON',
    { file: Buffer.from('x') },
    'result.file is binary data (Buf',
  ],
  ['a typed array', new Float64Array(1), 'result is binary data (Float64Array)'],
  ['an ArrayBuffer', new ArrayBuffer(1), 'result is binary data (ArrayBuffer)'],
  ['a promise that nobody awaited', { user: Promise.resolve(1) }, 'result.user is a Promise'],
  ['an error', { error: new Error('x') }, 'result.error is an Error'],
  ['an invalid date', { at: new Date(Number.NaN) }, 'result.at is an invalid Date'],
  ['what toJSON makes of it', { a: { toJSON: () => [1n] } }, 'result.a[0] is a BigInt'],
  ['an iterator', new Map().values(), 'result is an iterator'],
  ['the entries of an array', [].entries(), 'result is an iterator'],
  ['matches', { found: 'a'.matchAll(/a/g) }, 'result.found is an iterator'],
  ['headers', { headers: new Headers({ a: 'b' }) }, 'result.headers is a Headers object'],
  ['a query', [new URLSearchParams('a=1')], 'result[0] is a URLSearchParams object'],
  ['a form', new FormData(), 'result is a FormData object'],
  ['a blob', { image: new Blob(['a']) }, 'result.image is a Blob'],
  ['a file', { image: new File(['a'], 'a.txt') }, 'result.image is a File'],
  ['the body of a response', { body: new Response('a').body }, 'result.body is a ReadableStream'],
  ['a request', new Request('http://example.com'), 'result is a Request'],
  ['a weak reference', { held: new WeakRef({}) }, 'result.held is a WeakRef'],
])('%s is refused with its place', ([, value, message]) => {
  const error = refusalOf(value);
  expect(error.code).toBe('VALUE_NOT_JSON');
  expect(error.message).toContain(message);
  expect(message.startsWith(`${String(error.details['path'])} `)).toBe(true);
});

test('a copy has a member `__proto__` as its original', () => {
  const sent: unknown = JSON.parse('{"a":1,"__proto__":{"admin":true}}');
  const copy = copyJson(sent);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(sent));
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test('a value that contains itself is refused where it comes again', () => {
  const cycle: Record<string, unknown> = { rows: Array.from({ length: 1000 }, () => ({})) };
  cycle['self'] = { again: cycle };
  expect(refusalOf(cycle).message).toContain('result.self.again contains itself');
});

test('one object in two places is not a cycle', () => {
  const shared = { a: 1 };
  expect(toJsonText([shared, shared])).toBe('[{"a":1},{"a":1}]');
});

test('nesting beyond 500 levels is refused, however deep it goes [case 67]', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 500; level++) deep = [deep];
  expect(toJsonText(deep)).toBe(JSON.stringify(deep));
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(refusalOf(deep).message).toContain('nested more than 500 levels');
});

test('a getter, a toJSON and a proxy that throw are refused with their place and their cause [case 101]', () => {
  const cause = new Error('no database');
  const fail = (): never => {
    throw cause;
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const throwing = [
    {
      get name(): string {
        return fail();
      },
    },
    { name: { toJSON: fail } },
  ];
  for (const value of throwing) {
    const error = refusalOf([value]);
    expect(error.message).toBe('result[0].name cannot be read: no database');
    expect(error.cause).toBe(cause);
  }
  expect(refusalOf({ proxy }).code).toBe('VALUE_NOT_JSON');
});

test('a toJSON that never stops making more is refused', () => {
  const endless = { toJSON: (): unknown => ({ next: { toJSON: endless.toJSON } }) };
  expect(refusalOf(endless).message).toContain('nested more than 500 levels');
});

test('what would not fit into a text is refused, and without unfolding it first [case 102, host/one-way-to-tools]', () => {
  const long = 'x'.repeat(2 ** 26);
  const sparse: unknown[] = [];
  sparse.length = 2 ** 32 - 1;
  let doubled: unknown = { a: 1 };
  for (let level = 0; level < 60; level++) doubled = { left: doubled, right: doubled };
  for (const value of [[long, long, long], sparse, doubled]) {
    expect(refusalOf(value).message).toContain('is too large');
  }
});

test('a path reads like code', () => {
  expect(formatPath(['a', 0, 'b c', 'd'])).toBe('a[0]["b c"].d');
});
