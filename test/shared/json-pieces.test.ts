import { expect, it } from 'vitest';
import { jsonPieces } from '../../src/shared/json/json-pieces.ts';

const LONG = 2 ** 20;

it.each([
  ['short values', { a: [1, null, 'x', { b: true }], c: '' }],
  ['a long text', 'x'.repeat(LONG)],
  ['two long texts among others', ['a', 'x'.repeat(3 * LONG), 'b', 'y'.repeat(2 * LONG + 1), {}]],
  ['long texts of properties', { a: 'x'.repeat(LONG), b: 1, c: { d: 'y'.repeat(LONG) } }],
  ['characters that are escaped', ['"\\\n\u0001'.repeat(LONG / 2)]],
  ['pairs of surrogates, at even places', ['😀'.repeat(LONG)]],
  ['pairs of surrogates, at odd places', [`x${'😀'.repeat(LONG)}`]],
])('pieces of JSON are the whole of it, with %s', (_with, value) => {
  const pieces = [...jsonPieces(value)];
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(6 * LONG);
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
  // Not toEqual, which would print the texts.
  expect(JSON.stringify(JSON.parse(pieces.join(''))) === JSON.stringify(value)).toBe(true);
});
