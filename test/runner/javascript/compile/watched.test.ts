import { describe, expect, it } from 'vitest';
import { compileProgram } from '../repl.ts';

describe('the values that a program hands out', () => {
  const watched = (code: string): boolean =>
    /\bwatch\(/.test(compileProgram(`${code};`, { typescript: false }).main);

  it.each([
    'n += f()',
    'n **= 2',
    'n = n + 1',
    'n = -n',
    'n = `${n}`',
    'n = 5',
    'n + 1',
    'n = await f()',
  ])('are not those of %j, which cannot be promises', (code) => {
    expect(watched(`for (;;) ${code}`)).toBe(false);
  });

  it.each(['f()', 'n = f()', 'n ??= f()', 'n ||= f()', 'n &&= f()', 'n = n ? f() : 1', 'void f()'])(
    'are those of %j, which may be promises',
    (code) => {
      expect(watched(`for (;;) ${code}`)).toBe(true);
    },
  );
});
