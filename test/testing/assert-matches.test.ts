import { expect, it } from 'vitest';
import { assertMatches } from '../../src/testing/assert-matches.ts';

it.each([
  ['an object with more properties', { a: 1, b: 2 }, { a: 1 }],
  ['a property that does not exist', { a: 1 }, { b: undefined }],
  ['a text that a pattern finds', { a: ['text'] }, { a: [/ex/] }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['a number that is none', Number.NaN, Number.NaN],
])('accepts %s', (_, actual, expected) => {
  expect(() => assertMatches(actual, expected)).not.toThrow();
});

it.each([
  ['another value', { a: 1 }, { a: 2 }, 'the value.a is not as expected'],
  ['a longer list', [1, 2], [1], 'the value is not as expected'],
  ['an object for a list', { 0: 1, length: 1 }, [1], 'the value is not as expected'],
  ['a text that a pattern does not find', { a: ['x'] }, { a: [/y/] }, 'the value.a.0 is not'],
  ['a number for a pattern', 12, /1/, 'the value is not as expected'],
  ['nothing for an object', undefined, {}, 'the value is not as expected'],
])('refuses %s, and says where', (_, actual, expected, message) => {
  expect(() => assertMatches(actual, expected)).toThrow(message);
});
