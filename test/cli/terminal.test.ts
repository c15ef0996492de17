import { describe, expect, it } from 'vitest';
import { colorsFor, escapeControls, outputFor } from '../../src/cli/terminal.ts';

describe('text of the sandbox or the model on a terminal', () => {
  it.each([
    ['\u001b[31mred', String.raw`\x1b[31mred`],
    ['\u001b]0;title\u0007', String.raw`\x1b]0;title\x07`],
    ['\u009b31m', String.raw`\x9b31m`],
    ['100 %\r99 %', String.raw`100 %\r99 %`],
    ['back\u0008space\u007f', String.raw`back\x08space\x7f`],
    ['\u202etxt.exe\u2066', String.raw`\u202etxt.exe\u2066`],
  ])('spells out what could control it: %j', (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it('keeps words of all languages, emoji, tabs and line ends', () => {
    const text = 'naïve\t日本語 👩‍👩‍👧\nעברית\n';
    expect(escapeControls(text)).toBe(text);
    expect(escapeControls('one\r\ntwo')).toBe('one\ntwo');
  });

  it('is left as it is for a file or a pipe', () => {
    expect(outputFor({ isTTY: false }, '\u001b[31m')).toBe('\u001b[31m');
    expect(outputFor({ isTTY: true }, '\u001b[31m')).toBe(String.raw`\x1b[31m`);
  });
});

describe('colours', () => {
  it.each([
    [true, {}, '\u001b[31mno\u001b[39m'],
    [false, {}, 'no'],
    [false, { CI: 'true' }, 'no'],
    [true, { NO_COLOR: '1' }, 'no'],
    [true, { TERM: 'dumb' }, 'no'],
  ])('on a terminal: %s, with %o', (isTTY, environment, text) => {
    expect(colorsFor({ isTTY }, environment).red('no')).toBe(text);
  });
});
