import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeadlineError, withinDeadline } from '../../../src/tools/limits/deadline.ts';
import { linearMatcher } from '../../../src/tools/patterns/linear-pattern.ts';
import { parsePattern } from '../../../src/tools/patterns/pattern-cost.ts';

/** JavaScript's own expression for a pattern of a JSON Schema; undefined if it is not a pattern. */
function nativePattern(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Without the flag `u`, more is allowed.
    }
  }
  return undefined;
}

/** Texts for which the linear engine gives another answer than JavaScript; none if it does not take the pattern. */
function differences(source: string, texts: readonly string[]): string[] {
  const native = nativePattern(source);
  if (native === undefined) return [];
  const linear = matcherOf(native);
  return texts.filter((text) => linear && linear.test(text) !== native.test(text));
}

/** Newer engines take patterns that the parser refuses, such as V8 13 `(?<m>(?<m>a)|(a))`, which the standard forbids. */
function matcherOf(native: RegExp): ReturnType<typeof linearMatcher> {
  try {
    return linearMatcher(parsePattern(native), native.unicode);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const pieces = [
  ...['a', 'b', 'A', 'z', '0', '1', '_', '-', ' ', '.', '@', '/', '{', '}', '[', ']', '\\', '|'],
  ...['x', 'c', 'k', 'u', 'q', 'aa', 'ab', '{1}', '^', '$', '(', '&', ':'],
  ...['\n', '\r', '\u2028', '\u2029', '\t', '\v', '\f', '\0', '\u0001', '\b', '\u0007'],
  ...['\u0085', '\u00a0', '\ufeff', '\u1680', '\u180e', '\uffff', '\ufffe'],
  ...['é', 'ÿ', 'ſ', '\u212a', 'α', '٣', '漢', '\u0902', '\u0964', '\u0378'],
  ...['😀', '\u{1f64f}', '\u{10ffff}', '\u{10d800}', '\u{10d83d}', '\u{10de00}'],
  ...['\ud83d', '\ude00', '\ud800', '\udbff', '\udc00', '\udfff'],
];

test.for<[string, string, string]>([
  ['script extensions', '^\\p{scx=Deva}+$', '\u0964'],
  ['a script', '^\\p{Script=Deva}+$', '\u0902'],
  ['long names of categories', '^\\p{Letter}\\p{gc=Lu}$', 'aA'],
  ['a property without members', '\\P{Any}', 'a'],
  ['a dot, without the flag u', '^..\\@?$', '😀'],
  ['a negated class, without the flag u', '^[^a]{2}\\@?$', '😀'],
  ['a negated escape, without the flag u', '^\\W\\D\\@?$', '😀'],
  ['a negated escape in a class, without the flag u', '^[\\S][\\W]\\@?$', '😀'],
  ['a range across surrogates, without the flag u', '^[a-\\uffff]{2}\\@?$', '😀'],
  ['halves of a pair, without the flag u', '^[\\ud800-\\udbff][\\udc00-\\udfff]\\@?$', '😀'],
  ['one half, without the flag u', '\\@|\\ud83d', '😀'],
])('the linear engine gives the answers of JavaScript: %s', ([, source, text]) => {
  const native = nativePattern(source);
  if (native === undefined) throw new Error(`${source} is not a pattern`);
  expect(linearMatcher(parsePattern(native), native.unicode)).toBeDefined();
  expect(differences(source, ['', text, `${text}${text}`, `a${text}`, ...pieces])).toEqual([]);
});

const atom = fc.constantFrom(
  ...['a', 'b', 'A', '0', '_', '-', ' ', '.', '.', '\\.', '\\\\', '|', 'é', 'ſ', '😀', '\ud83d'],
  ...['\\w', '\\W', '\\d', '\\D', '\\s', '\\S', '\\b', '\\B', '^', '$', '[]', '[^]', '()', '(?:)'],
  ...['\\n', '\\r', '\\t', '\\v', '\\f', '\\0', '\\07', '\\400', '\\x41', '\\u0041', '\\u2028'],
  ...['\\u{1F600}', '\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\u{10ffff}', '\\u{10d83d}'],
  ...['\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{sc=Deva}', '\\p{scx=Deva}', '\\p{Cn}', '\\p{Cs}'],
  ...['\\@', '\\-', '\\/', '\\q', '\\k', '\\x', '\\u', '\\xg', '\\c', '\\cA', '{', '}', ']'],
  ...['{1}', '{,2}', '\\1', '\\2', '\\8', '(?<n>a)', '\\k<n>'],
  ...['(?=a)', '(?!a)', '(?<=a)', '(?<!b)'],
);
const classMember = fc.constantFrom(
  ...[
    'a',
    'b-z',
    'A-Z',
    '0-9',
    'é-ÿ',
    '-',
    '\\-',
    '.',
    '[',
    '&&',
    '[:alpha:]',
    '^',
    '|',
    '(',
    '😀',
  ],
  ...['\\w', '\\W', '\\d', '\\D', '\\s', '\\S', '\\b', '\\B', '\\n', '\\0', '\\c', '\\cA', '\\@'],
  ...['\\ud83d', '\\ude00', '\\ud800-\\udbff', '\\udc00-\\udfff', '\\ud83d-\\ud83d', 'a-\\ud83d'],
  ...['\\ud83d-\\uffff', '\\u0000-\\uffff', '\\u{1F600}-\\u{1F64F}', '\\x00-\\x7f', '\\w-.'],
  ...['\\p{L}', '\\P{L}', '\\p{scx=Greek}', '\\P{Any}'],
);
const characterClass = fc
  .tuple(fc.constantFrom('', '^'), fc.array(classMember, { maxLength: 4 }))
  .map(([negation, members]) => `[${negation}${members.join('')}]`);
const group = fc.constantFrom('(', '(?:', '(?<m>', '(?i:', '(?m:');
const quantifier = fc.constantFrom(
  ...['*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{0}', '{0,}', '{2,}', '{0,1}?', '{1,60}'],
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: atom },
    { weight: 2, arbitrary: characterClass },
    {
      weight: 5,
      arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
    },
    { weight: 3, arbitrary: fc.tuple(group, tie('pattern')).map((parts) => `${parts.join('')})`) },
    { weight: 4, arbitrary: fc.tuple(tie('pattern'), quantifier).map(([a, b]) => `(?:${a})${b}`) },
    { weight: 1, arbitrary: tie('pattern').map((inner) => `^${inner}$`) },
  ),
}));
const texts = fc.array(
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join('')),
  { minLength: 20, maxLength: 20 },
);

test('the linear engine gives the answers of JavaScript for any pattern and text', () => {
  fc.assert(
    fc.property(pattern, texts, (source, some) => {
      expect(differences(source, ['', ...some])).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test('the linear engine gives the right answer after it was interrupted, however often', () => {
  const source = '^(?:[a-c]{1,40} ?){1,20}$';
  const linear = linearMatcher(parsePattern(new RegExp(source, 'u')), true);
  const long = 'abc '.repeat(1_000_000);
  for (let round = 0; round < 5; round++) {
    try {
      withinDeadline(1, () => linear?.test(`${round}${long}`) === linear?.test(long));
    } catch (error) {
      expect(error).toBeInstanceOf(DeadlineError);
    }
    expect(linear?.test('abc abc')).toBe(true);
    expect(linear?.test('abc abd')).toBe(false);
  }
});
