import { describe, expect, it } from 'vitest';
import { colorsFor, jsonFor, outputFor } from '../../src/cli/terminal/terminal.ts';

describe('text of the sandbox or the model on a terminal', () => {
  it('is left as it is for a file or a pipe', () => {
    expect(outputFor({ isTTY: false }, '\u001b[31m')).toBe('\u001b[31m');
    expect(outputFor({ isTTY: true }, '\u001b[31m')).toBe(String.raw`\x1b[31m`);
  });

  it('is the same value as JSON, in which nothing controls the terminal [host/escaped-json]', () => {
    const value = { 'key\u009b': 'C1 \u009b31m, DEL \u007f, \u202etxt, \u2028, tag \u{e0041}\n' };
    expect(jsonFor({ isTTY: false }, value)).toBe(JSON.stringify(value));
    const shown = jsonFor({ isTTY: true }, value);
    expect(shown).toMatch(/^[ -~]*$/);
    expect(JSON.parse(shown)).toEqual(value);
  });
});

describe('colours', () => {
  it.each([
    [true, {}, '\u001b[31mno\u001b[39m'],
    [false, {}, 'no'],
    [false, { CI: 'true' }, 'no'],
    [true, { NO_COLOR: '1' }, 'no'],
    [true, { TERM: 'dumb' }, 'no'],
    [false, { FORCE_COLOR: '1', TERM: 'dumb' }, '\u001b[31mno\u001b[39m'],
    [true, { FORCE_COLOR: '0' }, 'no'],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, 'no'],
    [false, { FORCE_COLOR: '' }, 'no'],
  ])('on a terminal: %s, with %o', (isTTY, environment, text) => {
    expect(colorsFor({ isTTY }, environment).red('no')).toBe(text);
  });
});
