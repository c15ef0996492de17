import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  cutText,
  fits,
  shortened,
  showSize,
} from '../../../src/orchestrator/long-text/cut-text.ts';

const texts = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '€', '🙂') });

it('a cut text has whole characters, of no more bytes than it may, and says what is missing', () => {
  fc.assert(
    fc.property(texts, fc.nat(60), (text, maxBytes) => {
      const { start, end, whole, leftOut } = cutText(text, maxBytes);
      const kept = Buffer.byteLength(start + end);
      expect(kept).toBeLessThanOrEqual(maxBytes);
      expect(text.startsWith(start)).toBe(true);
      expect(text.endsWith(end)).toBe(true);
      expect(whole.bytes).toBe(Buffer.byteLength(text));
      expect(leftOut.bytes).toBe(whole.bytes - kept);
      const missing = text.slice(start.length, text.length - end.length);
      expect(leftOut.lines).toBe(missing.split('\n').length - 1);
      // No more is missing than a split character at each cut, and an odd byte.
      if (whole.bytes > maxBytes) expect(kept).toBeGreaterThan(maxBytes - 8);
    }),
  );
});

it.each([
  ['one', 0],
  ['one\n', 1],
  ['one\ntwo', 2],
  ['one\ntwo\n', 2],
  ['one\n\n', 2],
])('of %j, all lines count, also a last one without a line end', (text, lines) => {
  expect(cutText(text, 0).whole.lines).toBe(lines);
});

it('counts bytes of UTF-8, not characters', () => {
  fc.assert(
    fc.property(texts, fc.nat(60), (text, maxBytes) => {
      expect(fits(text, maxBytes)).toBe(Buffer.byteLength(text) <= maxBytes);
    }),
  );
});

it('half of a surrogate pair becomes U+FFFD, in short texts and in long ones', () => {
  expect(shortened('\uD83D', 10)).toBe('\uFFFD');
  expect(shortened(`\uD83D${'x'.repeat(20)}`, 10)).toBe(
    '\uFFFDxx\n[… 13 bytes left out here …]\nxxxxx',
  );
});

it('shows lines only if there are some', () => {
  expect(showSize({ bytes: 12_345, lines: 0 })).toBe('12,345 bytes');
  expect(showSize({ bytes: 1, lines: 1 })).toBe('1 byte (1 line)');
});
