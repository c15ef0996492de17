import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { toTool } from '../../../src/tools/define-tool.ts';
import { compilePattern } from '../../../src/tools/patterns/patterns.ts';
import { jsonSchemaCheck } from '../../../src/tools/schema/json-schema-validator.ts';
import type { SchemaSource } from '../../../src/tools/schema/schema.ts';

// A program needs 30 characters to keep JavaScript busy for a minute with it, and 40 for a day.
const EXPONENTIAL = '^(a+)+$';
const hostile = `${'a'.repeat(34)}!`;
const tooSlow = /^arguments: checking it took longer than the limit of \d+ ms/;

function answerTo(inputSchema: SchemaSource, input: unknown): string | undefined {
  const tool = toTool({ name: 'tool', description: 'Does it.', inputSchema, run: () => 1 });
  const validation = tool.validateInput(input);
  return validation.valid ? undefined : validation.message;
}

function property(schema: object): SchemaSource {
  return { type: 'object', properties: { s: schema } };
}

test('patterns of a JSON Schema match in one pass, whatever the text is [host/validation]', () => {
  expect(answerTo(property({ pattern: EXPONENTIAL }), { s: hostile })).toMatch(
    /^s: must match pattern/,
  );
  const named = { type: 'object', patternProperties: { [EXPONENTIAL]: false } };
  expect(answerTo(named, { [hostile]: 1 })).toBeUndefined();
  expect(answerTo(named, { aaa: 1 })).toBeDefined();
  const names = { type: 'object', propertyNames: { pattern: EXPONENTIAL } };
  expect(answerTo(names, { [hostile]: 1 })).toBeDefined();
});

test('a pattern that cannot be matched in one pass is stopped, and works for other texts [host/event-loop, host/validation]', () => {
  for (const pattern of ['^(?=a)(a+)+$', '^(a+)+\\b$(?<!x)', '^(?:(a)|a)+\\1$']) {
    const schema = property({ pattern });
    expect(answerTo(schema, { s: hostile })).toMatch(tooSlow);
    expect(answerTo(schema, { s: 'aa' })).toBeUndefined();
  }
});

test.for<[string, SchemaSource]>([
  ['zod 4', z.object({ s: z.string().regex(new RegExp(EXPONENTIAL)) })],
  ['zod 3', z3.object({ s: z3.string().regex(new RegExp(EXPONENTIAL)) })],
  ['zod 4, in a pipe', z.object({ s: z.preprocess(String, z.string().regex(/^(a+)+$/)) })],
  ['zod 4, a template', z.object({ s: z.templateLiteral([z.string().regex(/^(a+)+$/), 'b']) })],
  [
    'zod 3, in effects',
    z3.object({
      s: z3
        .string()
        .transform(String)
        .pipe(z3.string().regex(/^(a+)+$/)),
    }),
  ],
])('%s: an exponential pattern is stopped [host/validation]', ([, schema]) => {
  expect(answerTo(schema, { s: hostile })).toMatch(tooSlow);
});

const sources = [
  '^\\s+$',
  '^\\S$',
  '^[\\s\\S]$',
  '^[^\\s]$',
  '^[\\Sx]$',
  '^.$',
  '^(?:.|\\n)*$',
  'a$',
  '^\\w+$',
  '^[\\W_]$',
  '\\bfoo\\b',
  '\\Bo',
  '^[^]$',
  '[]',
  '^\\p{L}$',
  '^\\P{Lu}+$',
  '^[\\p{L}\\p{N}]+$',
  '\\u{1F600}',
  '^\\ud83d\\ude00$',
  '\\cA',
  '[\\b]',
  '\\0',
  '^[\\w.-]+$',
  '^a{2,}$',
  '^(?:a|b)*?c$',
  '^(?<y>\\d{2,4})-?',
  '[\\][]',
  '^[a&&b]+$',
  '^[a[:alpha:]$',
  '\\/',
  '^\\$',
  '',
  '^(a|aa)+$',
  '(^a|b$)',
  '^\\d{1,3}(?:,\\d{3})*$',
  '(|a)+b',
  '^(?:)$',
  '\\^\\.',
  '[^\\x00-\\x7f]',
  '[\\u4e00-\\u9fa5]',
  '^\\w+\\@x$',
  '^\\v\\f?$',
  '^[\\d-x]+$',
  '\\z',
  '\\A',
  '\\Qa\\E',
  '\\pL',
  '[[:alpha:]]',
  '^\\p{Script=Greek}$',
  '^x{2000}$',
  '^(?!a)b',
];
const texts = [
  '',
  'a',
  'b',
  'A',
  'aa',
  'ab',
  'abc',
  'aaa',
  'c',
  'foo',
  'a foo b',
  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '\u00a0',
  '\ufeff',
  '\v',
  '\f',
  '\v\f',
  ' ',
  '\u1680',
  '\u200b',
  '\u3000',
  '\u0085',
  '\u180e',
  'é',
  'K',
  '\u212a',
  '\u017f',
  'α',
  '😀',
  '\ud83d',
  '\ude00',
  '\0',
  '\u0001',
  '\b',
  '/',
  '-',
  '_',
  '@',
  '5',
  '12',
  '1,234',
  '2026-01',
  '٣',
  'a\n',
  '\na',
  'Q',
  'E',
  'z',
  'Qa',
  'pL',
  '[',
  ']',
  '&',
  ':',
  'x@x',
  '漢',
  '\u{10ffff}',
  '^.',
  '$',
  'd-x',
  'b$',
  'x'.repeat(2000),
];

test('patterns of a JSON Schema give the answers of JavaScript, by whichever engine', () => {
  for (const source of sources) {
    let native: RegExp;
    try {
      native = new RegExp(source, 'u');
    } catch {
      native = new RegExp(source);
    }
    const pattern = compilePattern(source);
    const differing = texts.filter((text) => pattern.test(text) !== native.test(text));
    expect([source, differing]).toEqual([source, []]);
  }
});

test('patterns that the linear engine would take long to compile run as those of JavaScript [host/event-loop]', () => {
  // Each has 30 characters, and some 2000 parts when it is compiled.
  const patterns = Array.from({ length: 60 }, (_, index) => `^(?:(?:a+${index}){1,30}b?){1,30}$`);
  const properties = Object.fromEntries(patterns.map((pattern) => [pattern, { pattern }]));
  const schema = jsonSchemaCheck({ type: 'object', properties });
  expect(schema.unboundedPatterns.length).toBeGreaterThan(40);
  for (const [index, pattern] of patterns.entries()) {
    expect(schema.check({ [pattern]: `aa${index}a${index}b` }).valid).toBe(true);
    expect(schema.check({ [pattern]: 'b' }).valid).toBe(false);
  }
});

const warnings: Error[] = [];
const keep = (warning: Error): unknown => warnings.push(warning);
afterEach(() => process.off('warning', keep));

test('the author of a tool is warned of a pattern that a program can make slow, and of no other', async () => {
  process.on('warning', keep);
  const slow = [
    /^(a+)+$/,
    /\s+$/,
    /^(\w+\s?)*$/,
    /^https:\/\/([a-z]+\/?)+$/,
    /^(?=x)\S+@\S+\.\S+$/,
  ];
  for (const [index, pattern] of slow.entries()) {
    toTool({
      name: `slow${index}`,
      description: 'Does it.',
      inputSchema: z.object({ s: z.string().regex(pattern), again: z.string().regex(pattern) }),
      run: () => 1,
    });
  }
  const good = [
    /^[a-z]+(-[a-z]+)*$/,
    /^(?=.*\d).{8,}$/,
    /^\d{4}-\d{2}$/,
    /^[\w.+-]+@[\w-]+\.[\w.-]+$/,
  ];
  toTool({
    name: 'good',
    description: 'Does it.',
    inputSchema: z.object({
      patterns: z.tuple(good.map((pattern) => z.string().regex(pattern)) as never),
      formats: z.tuple([
        z.email(),
        z.uuid(),
        z.ipv6(),
        z.iso.datetime(),
        z.iso.duration(),
        z.base64(),
      ]),
    }),
    run: () => 1,
  });
  toTool({
    name: 'json',
    description: 'Does it.',
    inputSchema: property({ pattern: EXPONENTIAL }),
    run: () => 1,
  });
  // What defines the tool of a source cannot rewrite its patterns.
  const source = { name: 'source', description: 'Does it.', run: () => 1 };
  const ofSource = toTool(
    { ...source, inputSchema: property({ pattern: slow.at(-1)?.source }) },
    'first call',
  );
  ofSource.validateInput({ s: 'x@y.z' });
  // Warnings come in the next turn of the event loop.
  await new Promise(setImmediate);
  const ours = warnings.filter(
    (warning) => 'code' in warning && warning.code === 'PTC_SLOW_PATTERN',
  );
  const names = ours.map(({ message }) => /^Tool "(\w+)"/.exec(message)?.[1]);
  // Tests before this one have warnings as well.
  expect(names.filter((name) => name !== 'tool')).toEqual(slow.map((_, index) => `slow${index}`));
});

test('a pattern that a schema has many times is as fast as one', () => {
  // The dates of zod, whose pattern is long.
  const { pattern } = z.toJSONSchema(z.iso.datetime());
  const names = Array.from({ length: 100 }, (_, index) => `p${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { pattern: pattern ?? '' }]));
  expect(jsonSchemaCheck({ type: 'object', properties }).unboundedPatterns).toEqual([]);
});

test('few properties of characters are looked up for one schema, because each takes long [host/event-loop]', () => {
  const scripts = ['Thai', 'Lao', 'Tamil', 'Hebrew', 'Khmer', 'Mongolian', 'Tibetan', 'Ogham'];
  const patterns = scripts.map((script) => `\\p{Script=${script}}+x+`);
  const properties = Object.fromEntries(patterns.map((pattern) => [pattern, { pattern }]));
  const schema = jsonSchemaCheck({ type: 'object', properties });
  expect(schema.unboundedPatterns.length).toBeGreaterThan(4);
});
