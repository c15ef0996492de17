// Schemas with the features of libraries that implement Standard JSON Schema: Valibot and ArkType.

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { scope, type } from 'arktype';
import * as v from 'valibot';

const text = v.string();
const matching = (pattern) => v.pipe(text, v.regex(pattern));
const kind = (name, more) => v.object({ kind: v.literal(name), ...more });
const node = v.object({ name: text, children: v.optional(v.array(v.lazy(() => node))) });

const VALIBOT_FORMATS = {
  ...{ decimal: v.decimal, email: v.email, emoji: v.emoji, ipv6: v.ipv6, mac: v.mac, url: v.url },
  'iso timestamp': v.isoTimestamp,
};

const VALIBOT = {
  strings: { list: v.array(text) },
  'union of kinds': { list: v.array(v.union([text, v.null(), v.number()])) },
  'union of objects': {
    list: v.array(v.union([v.object({ a: text }), v.object({ b: v.number() }), text])),
  },
  'wide union': {
    list: v.array(
      v.union(Array.from({ length: 20 }, (_, index) => kind(`k${index}`, { [`f${index}`]: text }))),
    ),
  },
  'union of unions': {
    list: v.array(
      v.union([
        v.object({ a: v.union([v.object({ b: text }), v.object({ c: text })]) }),
        v.object({ a: v.union([v.object({ d: text }), v.array(v.union([text, v.number()]))]) }),
      ]),
    ),
  },
  'discriminated union': {
    list: v.array(
      v.variant('kind', [
        kind('click', { selector: text }),
        kind('type', { text, delay: v.optional(v.number()) }),
        kind('wait', { ms: v.pipe(v.number(), v.integer()) }),
      ]),
    ),
  },
  'map of maps': { map: v.record(text, v.record(text, v.number())) },
  'checked names': { map: v.record(matching(/^[a-z]+(_[a-z]+)*$/), v.number()) },
  tree: { tree: node },
  'nested objects': { a: v.object({ b: v.object({ c: v.array(v.object({ d: text })) }) }) },
  'pattern with nested repetition': { value: matching(/^(a+)+$/) },
  'pattern of words': { value: matching(/^(\w+\s?)*$/) },
  'list of patterns': { list: v.array(matching(/^(?:[a-z0-9]+[-.]?)+$/)) },
  tuple: { points: v.array(v.tuple([v.number(), v.number()])) },
  'tuple with more': { tuple: v.tupleWithRest([text, v.number()], v.boolean()) },
  intersection: {
    both: v.intersect([v.object({ a: text }), v.object({ b: v.array(v.number()) })]),
  },
  'other names': { open: v.objectWithRest({ a: text }, v.number()) },
  'no other names': { closed: v.strictObject({ a: text, b: v.optional(text) }) },
  defaults: { a: v.optional(text, 'x'), list: v.array(v.object({ n: v.optional(v.number(), 1) })) },
  'whole numbers': {
    list: v.array(v.pipe(v.number(), v.integer(), v.multipleOf(5), v.maxValue(1e6))),
  },
  'bounded list': {
    list: v.pipe(v.array(v.pipe(text, v.maxLength(20))), v.minLength(1), v.maxLength(100)),
  },
  ...Object.fromEntries(
    Object.entries(VALIBOT_FORMATS).map(([name, check]) => [
      `format ${name}`,
      { text: v.pipe(text, check()) },
    ]),
  ),
};

export const VALIBOT_SCHEMAS = Object.fromEntries(
  Object.entries(VALIBOT).map(([name, entries]) => [name, toStandardJsonSchema(v.object(entries))]),
);

const ARKTYPE_FORMATS = ['creditCard', 'email', 'ip.v6', 'json', 'semver', 'url', 'date.iso'];

const { node: arkNode } = scope({ node: { name: 'string', 'children?': 'node[]' } }).export();

export const ARKTYPE_SCHEMAS = {
  strings: type({ list: 'string[]' }),
  'union of kinds': type({ list: '(string | null | number)[]' }),
  'union of objects': type({
    list: type({ a: 'string' }).or({ b: 'number' }).or('string').array(),
  }),
  'discriminated union': type({
    list: type({ kind: "'click'", selector: 'string' })
      .or({ kind: "'type'", text: 'string', 'delay?': 'number' })
      .or({ kind: "'wait'", ms: 'number.integer' })
      .array(),
  }),
  'map of maps': type({ map: { '[string]': { '[string]': 'number' } } }),
  tree: type({ tree: arkNode }),
  'nested objects': type({ a: { b: { c: type({ d: 'string' }).array() } } }),
  'pattern with nested repetition': type({ value: /^(a+)+$/ }),
  'pattern of words': type({ value: /^(\w+\s?)*$/ }),
  tuple: type({ points: type(['number', 'number']).array() }),
  'tuple with more': type({ tuple: ['string', 'number', '...', 'boolean[]'] }),
  intersection: type({ both: type({ a: 'string' }).and({ b: 'number[]' }) }),
  'no other names': type({ closed: { '+': 'reject', a: 'string', 'b?': 'string' } }),
  'whole numbers': type({ list: '(number.integer & number % 5)[]' }),
  'bounded list': type({ list: '1 <= (2 <= string <= 20)[] <= 100' }),
  'numeric text': type({ value: 'string.numeric.parse' }),
  'date text': type({ value: 'string.date.parse' }),
  ...Object.fromEntries(
    ARKTYPE_FORMATS.map((name) => [`format ${name}`, type({ text: `string.${name}` })]),
  ),
};
