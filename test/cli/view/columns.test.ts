import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitColumns, foldLine } from '../../../src/cli/view/columns.ts';

const fold = (text: string, room: number, used = 0): readonly string[] =>
  foldLine(text, { room, used, start: 0 }).rows;

describe('a line that is longer than its room', () => {
  it.each([
    ['plain text', 'abcdefghij', ['abcd', 'efgh', 'ij']],
    ['text that just fits', 'abcdefgh', ['abcd', 'efgh']],
    ['wide characters', 'a你好b世界', ['a你', '好b', '世界']],
    ['combining marks', 'e\u0301e\u0301e\u0301e\u0301e\u0301', ['e\u0301'.repeat(4), 'e\u0301']],
    // Some terminals draw one picture for several code points, others one for each.
    ['emoji', '🙂👍🏽❤️🇩🇪1️⃣👩‍💻', ['🙂', '👍🏽', '❤️🇩🇪', '1️⃣', '👩‍💻']],
    [
      'Korean letters that are joined',
      '\u1112\u1161\u11ab\u1100\u1173\u11af!',
      ['\u1112\u1161\u11ab\u1100\u1173\u11af', '!'],
    ],
    ['halfwidth forms', 'ｱｲｳｴｵ', ['ｱｲｳｴ', 'ｵ']],
  ])('is cut into rows: %s', (_name, text, rows) => {
    expect(fold(text, 4)).toEqual(rows);
  });

  it('is cut where a tab leads beyond its room', () => {
    expect(fold('a\tb\tc', 12)).toEqual(['a\tb', '\tc']);
    expect(foldLine('\tab', { room: 6, used: 0, start: 4 })).toEqual({
      rows: ['\tab'],
      used: 6,
    });
  });

  it('goes on where it was', () => {
    expect(foldLine('efg', { room: 4, used: 3, start: 0 })).toEqual({ rows: ['e', 'fg'], used: 2 });
    expect(foldLine('你', { room: 4, used: 3, start: 0 })).toEqual({ rows: ['', '你'], used: 2 });
    expect(foldLine('\u0301', { room: 4, used: 4, start: 0 })).toEqual({
      rows: ['\u0301'],
      used: 4,
    });
    expect(foldLine('', { room: 4, used: 4, start: 0 })).toEqual({ rows: [''], used: 4 });
  });

  it('keeps all of its text, in the same rows in however many pieces it comes', () => {
    // None of these joins the one before, as a combining mark would.
    const character = constantFrom('a', ' ', '\t', 'e\u0301', '你', 'ｱ', '👩‍💻', '❤️', '🇩🇪');
    const pieces = array(string({ unit: character, maxLength: 80 }), { minLength: 1 });
    assert(
      property(pieces, integer({ min: 8, max: 100 }), (texts, room) => {
        const whole = fold(texts.join(''), room);
        expect(whole.join('')).toBe(texts.join(''));
        let shown = '';
        let used = 0;
        for (const text of texts) {
          const folded = foldLine(text, { room, used, start: 0 });
          shown += folded.rows.join('\n');
          used = folded.used;
        }
        expect(shown).toBe(whole.join('\n'));
      }),
    );
  });

  it('is cut in time that grows with its length, whatever it consists of', () => {
    for (const unit of ['你', '👩‍💻', 'e\u0301\u0302', '\u0301', '\ta', '🇩', '\u1100']) {
      const text = unit.repeat(100_000 / unit.length);
      // If characters are looked for in all of it at once, this takes many minutes.
      expect(fold(text, 76).join('')).toBe(text);
    }
  });
});

describe('a text in exactly this many columns', () => {
  it.each([
    ['abc', 5, 'abc  '],
    ['abcde', 5, 'abcde'],
    ['abcdef', 5, 'abcd…'],
    ['你好', 5, '你好 '],
    ['你好世', 5, '你好…'],
    ['a你好世', 5, 'a你… '],
    ['你', 1, '…'],
  ])('%j in %i', (text, columns, shown) => {
    expect(fitColumns(text, columns)).toBe(shown);
  });
});
