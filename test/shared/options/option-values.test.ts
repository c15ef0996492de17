import { describe, expect, it } from 'vitest';
import {
  checkCount,
  checkDelay,
  checkOneOf,
  checkPositive,
  checkSignal,
  checkWait,
  invalidOption,
  invalidReturn,
} from '../../../src/shared/options/option-values.ts';

const LONGEST = 2 ** 31 - 1;

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

const NOT_NUMBERS = [Number.NaN, '5', null, {}, [5]];

describe('the value of an option', () => {
  it.each<[string, (value: unknown) => void, readonly unknown[], readonly unknown[], string]>([
    [
      'a positive number',
      (value) => checkPositive('n', value),
      [0.1, 1, 2 ** 40],
      [0, -1, Infinity],
      'a positive number',
    ],
    [
      'a count of at least 0',
      (value) => checkCount('n', value, 0),
      [0, 1],
      [-1, 0.5, Infinity],
      'a whole number, at least 0',
    ],
    [
      'a count of at least 2',
      (value) => checkCount('n', value, 2),
      [2, 3],
      [1, 2.5],
      'a whole number, at least 2',
    ],
    [
      'a delay',
      (value) => checkDelay('n', value),
      [0.5, 1, LONGEST],
      [0, -1, LONGEST + 1, Infinity],
      'more than 0 and at most 2147483647 ms',
    ],
    [
      'a wait',
      (value) => checkWait('n', value),
      [0, 1, LONGEST],
      [-1, LONGEST + 1, Infinity],
      'at least 0 and at most 2147483647 ms',
    ],
    [
      'one of several',
      (value) => checkOneOf('n', value, ['a', true]),
      ['a', true],
      ['b', 'A', false, undefined],
      'one of "a", true',
    ],
  ])('can be %s', (_, check, right, wrong, expected) => {
    for (const value of right) expect(() => check(value)).not.toThrow();
    for (const value of [...wrong, ...NOT_NUMBERS]) {
      expect(() => check(value)).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          message: expect.stringContaining(`n must be ${expected}, not `),
          details: { option: 'n', value },
        }),
      );
    }
  });

  it('can be a signal, or absent', () => {
    for (const value of [undefined, new AbortController().signal]) {
      expect(() => checkSignal(value)).not.toThrow();
    }
    for (const value of [null, {}, new AbortController()]) {
      expect(() => checkSignal(value)).toThrow(/^signal must be an AbortSignal, .*, not /);
    }
  });
});

it.each<[string, () => unknown]>([
  ['"5"', () => '5'],
  ['5', () => 5],
  ['undefined', () => undefined],
  ['an empty array', () => []],
  ['an array', () => [1]],
  ['an object', () => ({})],
  ['an object', revokedProxy],
])('a wrong value is shown: %s', (shown, make) => {
  expect(invalidOption('n', make(), 'none', 'Leave it out.').message).toBe(
    `n must be none, not ${shown}. Leave it out.`,
  );
  expect(invalidReturn('n', make(), 'none').message).toBe(`n must return none, not ${shown}.`);
});
