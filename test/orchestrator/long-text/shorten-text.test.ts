import { expect, it } from 'vitest';
import { shortenText } from '../../../src/orchestrator/long-text/shorten-text.ts';

it.each([
  [10, 'abcde\n[… 16 characters left out; look …]\nvwxyz'],
  [2, 'a\n[… 24 characters left out; look …]\nz'],
  [1, '\n[… 26 characters left out; look …]\n'],
  [0, '\n[… 26 characters left out; look …]\n'],
])('a text that is shortened to %i characters has no others', (length, expected) => {
  expect(shortenText('abcdefghijklmnopqrstuvwxyz', length, 'look')).toBe(expected);
});
