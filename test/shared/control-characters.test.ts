import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControls, escapeLine } from '../../src/shared/control-characters.ts';
import { escapeJsonControls } from '../../src/shared/json/json-escapes.ts';
import { codePoint } from '../support/code-point.ts';

describe('text of the sandbox or the model that people see', () => {
  it.each([
    ['\u001b[31mred', String.raw`\x1b[31mred`],
    ['\u001b]0;title\u0007', String.raw`\x1b]0;title\x07`],
    ['\u009b31m', String.raw`\x9b31m`],
    ['100 %\r99 %', String.raw`100 %\r99 %`],
    ['back\u0008space\u007f', String.raw`back\x08space\x7f`],
    ['\u202etxt.exe\u2066', String.raw`\u202etxt.exe\u2066`],
    ['\u200e\u200f\u061c', String.raw`\u200e\u200f\u061c`],
    ['one\u2028two\u2029', String.raw`one\u2028two\u2029`],
    ['pay\u200bpal\ufeff\u2060', String.raw`pay\u200bpal\ufeff\u2060`],
    ['hidden\u{e0068}\u{e0069}', String.raw`hidden\u{e0068}\u{e0069}`],
  ])(
    'has spelled out what could deceive them: %j [case 80, host/escaped-characters]',
    (text, shown) => {
      expect(escapeControls(text)).toBe(shown);
    },
  );

  it('keeps words of all languages, emoji, tabs and line ends', () => {
    const text = 'naïve\t日本語 👩‍👩‍👧 ❤️\nעברית می‌خواهم\n';
    expect(escapeControls(text)).toBe(text);
    expect(escapeControls('one\r\ntwo')).toBe('one\ntwo');
  });

  it('can be one line', () => {
    expect(escapeLine('one\ntwo\r\n\tthree')).toBe(String.raw`one\ntwo\n\tthree`);
  });

  it('is the same value as JSON [host/escaped-json]', () => {
    assert(
      property(string({ unit: codePoint }), (text) => {
        const escaped = escapeJsonControls(JSON.stringify([text]));
        expect(JSON.parse(escaped)).toEqual([text]);
      }),
    );
    const every = Array.from({ length: 0x11_00_00 }, (_, code) => String.fromCodePoint(code))
      .join('')
      .toWellFormed();
    const json = JSON.stringify(every);
    const escaped = escapeJsonControls(json);
    // What people would see spelled out is escaped here, and nothing else.
    expect(escapeControls(escaped)).toBe(escaped);
    expect(escaped.replaceAll(/\\u[\da-f]{4}/g, '').length).toBeGreaterThan(1_100_000);
    expect(JSON.parse(escaped)).toBe(every);
    const formatted = JSON.stringify({ a: '\u009b' }, undefined, 2);
    expect(escapeJsonControls(formatted)).toBe('{\n  "a": "\\u009b"\n}');
  });
});
