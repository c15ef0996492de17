import { array, assert, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodeInput } from '../../../src/cli/view/code-input.ts';
import { codePoint } from '../../support/code-point.ts';

describe('a program that comes inside JSON', () => {
  it('is read as it comes, wherever the JSON is cut', () => {
    const cuts = array(nat({ max: 400 }));
    assert(
      property(string({ unit: codePoint, maxLength: 60 }), cuts, (code, at) => {
        const json = JSON.stringify({ code });
        const ends = [...at.map((cut) => cut % json.length), json.length].sort((a, b) => a - b);
        const input = new CodeInput();
        const pieces = ends.map((end, index) => json.slice(ends[index - 1] ?? 0, end));
        expect(pieces.map((piece) => input.add(piece)).join('')).toBe(code);
      }),
    );
  });

  it('is given in whole characters, escaped or not', () => {
    const escaped = String.raw`{"code": "a\ud83d\ude00b\ud83d!"}`;
    for (const json of [escaped, '{"code": "a😀b\ud83d!"}']) {
      for (let cut = 0; cut < json.length; cut += 1) {
        const input = new CodeInput();
        const pieces = [input.add(json.slice(0, cut)), input.add(json.slice(cut))];
        expect(pieces.join('')).toBe('a😀b\ud83d!');
        expect(pieces[0]).toMatch(/^(?:a(?:😀(?:b(?:\ud83d!?)?)?)?)?$/u);
      }
    }
  });

  it('is not waited for to its end', () => {
    const input = new CodeInput();
    expect(input.add('{"code": "a = ')).toBe('a = ');
    expect(input.add('1\\')).toBe('1');
    expect(input.add('nb"')).toBe('\nb');
    expect(input.add(', "other": "x"}')).toBe('');
  });

  it('is read in one pass, however large and in however many pieces it comes [host/fence-search]', () => {
    const input = new CodeInput();
    expect(input.add(`{"code": "${'x'.repeat(10_000_000)}`)).toHaveLength(10_000_000);
    // If everything that came before is read again for each piece, these take hours.
    for (let piece = 0; piece < 300_000; piece += 1) input.add('text');
    expect(input.add('end"')).toBe('end');
    const without = new CodeInput();
    for (let piece = 0; piece < 300_000; piece += 1) without.add('"code" ');
    expect(without.add('"code":"found')).toBe('found');
  });

  it('is empty if there is no program', () => {
    expect(new CodeInput().add('{"cod": 1}')).toBe('');
  });
});
