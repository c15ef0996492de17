// Arguments for a schema's validator: at each place of the schema, values that may take it long.

import { createRequire } from 'node:module';
import { pumpsOf, sampleOf } from './patterns.mjs';
import { text } from './shapes.mjs';
import { PLAIN_TEXT, someTexts } from './texts.mjs';

const { fullFormats } = createRequire(import.meta.url)('ajv-formats/dist/formats');

const MOST_LEVELS = 6;
const MOST_PLACES = 40;
/** How many places for text get every kind of text. The others get those for their patterns. */
const MOST_TEXT_PLACES = 3;

const SIMPLE = [1, null, 'a', {}, [], true, -1.5, [[]], { a: 1 }].map((value) => ({ value }));
const [ONE] = SIMPLE;
const LONG = text('k');
const COUNTERS = ['number', 'text', 'object'].map((counter) => ({ counter }));

/** Valid texts for each format. */
const FORMAT_SAMPLES = {
  date: '2026-01-02',
  time: '10:20:30Z',
  'date-time': '2026-01-02T10:20:30Z',
  email: 'a@example.com',
  uri: 'http://example.com/a',
  url: 'http://example.com/a',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '10.0.0.1',
  ipv6: '::1',
  hostname: 'example.com',
  duration: 'P1D',
  'json-pointer': '/a',
};

/**
 * Shapes of arguments, and a plain valid one if there is one.
 * @param schema - The JSON Schema of the arguments.
 * @param {(value: unknown) => boolean} isValid
 */
export function argumentShapes(schema, isValid) {
  const places = placesOf(schema);
  const shapes = places.flatMap(({ put, at }, index) => {
    const textPlaces = places.slice(0, index).filter((place) => takesText(place.at)).length;
    const inner = [...attacks(at, schema), ...textsFor(at, textPlaces < MOST_TEXT_PLACES)];
    return inner.map(put);
  });
  const plain = places.flatMap(({ put, at }) => plainFor(at, schema).map(put));
  const fallback = { object: [['text', PLAIN_TEXT]] };
  return { shapes, harmless: plain.find((shape) => isValid(shape)) ?? fallback };
}

/** Each place of a schema, with a function that puts a value there into valid arguments. */
function placesOf(root) {
  const places = [];
  const seen = new Set();
  const visit = (schema, path, put) => {
    const at = resolved(schema, root);
    const key = JSON.stringify([path, at]);
    if (path.length > MOST_LEVELS || places.length >= MOST_PLACES || seen.has(key)) return;
    seen.add(key);
    places.push({ at, put });
    for (const name of Object.keys(at.properties ?? {})) {
      visit(at.properties[name], [...path, name], (inner) =>
        put(withMember(at, root, name, inner)),
      );
    }
    const [pattern] = Object.keys(at.patternProperties ?? {});
    const extra = at.patternProperties?.[pattern] ?? objectOf(at.additionalProperties);
    if (extra !== undefined) {
      const name = (pattern === undefined ? undefined : sampleOf(pattern)) ?? 'other';
      visit(extra, [...path, '*'], (inner) => put(withMember(at, root, name, inner)));
    }
    for (const [index, item] of (at.prefixItems ?? []).entries()) {
      visit(item, [...path, index], (inner) => {
        const items = at.prefixItems.map((each) => ({ value: rightValue(each, root) }));
        return put({ array: items.with(index, inner) });
      });
    }
    const items = Array.isArray(at.items) ? at.items[0] : objectOf(at.items);
    if (items !== undefined) visit(items, [...path, '[]'], (inner) => put({ array: [inner] }));
    for (const branch of branchesOf(at)) visit(branch, path, put);
  };
  visit(root, [], (inner) => inner);
  return places;
}

/** Values that may take a validator, or the description of its errors, long. */
function attacks(at, root) {
  const { properties = {}, patternProperties = {}, propertyNames } = at;
  const items = Array.isArray(at.items) ? at.items[0] : at.items;
  const variants = variantsOf(objectOf(items) ?? {}, root).map((value) => ({ value }));
  const members = [...SIMPLE, ...COUNTERS, ...variants];
  const keyPatterns = [...Object.keys(patternProperties), propertyNames?.pattern].filter(Boolean);
  return [
    ...members.map((member) => ({ list: member })),
    ...SIMPLE.map((member) => ({ map: member, key: 'k' })),
    ...[ONE, { list: ONE }, { map: ONE, key: 'k' }, { list: { value: {} } }].flatMap((inner) => [
      { entry: inner, key: LONG },
      { entry: { deep: inner }, key: LONG },
      ...Object.keys(properties).map((name) => ({ object: [[name, inner]] })),
    ]),
    { list: { list: ONE } },
    { list: { map: ONE, key: 'k' } },
    { map: { list: ONE }, key: 'k' },
    { map: { map: ONE, key: 'k' }, key: 'k' },
    { list: { entry: ONE, key: LONG } },
    { list: { array: [...COUNTERS, ONE] } },
    { list: { deep: ONE } },
    { list: LONG },
    ...[undefined, 'a', ...Object.keys(properties)].flatMap((by) => [
      { deep: { list: ONE }, by },
      { deep: { map: ONE, key: 'k' }, by },
      { deep: { list: { value: {} } }, by },
      { list: { deep: ONE, by } },
    ]),
    ...keyPatterns.flatMap((pattern) => pumpsOf(pattern)).map((key) => ({ entry: ONE, key })),
    ...keyPatterns.map((pattern) => ({ map: ONE, key: sampleOf(pattern) ?? 'k' })),
  ];
}

function textsFor(at, all) {
  if (!takesText(at)) return [text('7'), text('a')];
  const known = fullFormats[at.format === 'uri' ? 'uri-reference' : at.format];
  const sources = [at.pattern, known instanceof RegExp ? known.source : undefined];
  const pumps = sources.filter(Boolean).flatMap((source) => pumpsOf(source));
  return [...pumps, ...(all || at.format !== undefined ? someTexts() : [])];
}

/** Values that should not take long: valid ones, as many or as long as possible. */
function plainFor(at, root) {
  const { items, additionalProperties } = at;
  const right = (schema) => ({ value: rightValue(schema, root) });
  return [
    ...(objectOf(items) ? [{ list: right(items) }, { list: { counter: 'text' } }] : []),
    ...(objectOf(items) ? [{ list: { counter: 'number' } }] : []),
    ...(at.type === 'string' || at.type === undefined ? [PLAIN_TEXT, text('a'), text('1')] : []),
    ...(objectOf(additionalProperties) ? [{ map: right(additionalProperties), key: 'k' }] : []),
  ];
}

/** A value that a schema probably accepts. */
function rightValue(schema, root, level = 0) {
  const at = resolved(schema, root);
  if ('const' in at) return at.const;
  if (Array.isArray(at.enum)) return at.enum[0];
  if (level > MOST_LEVELS) return null;
  const [branch] = branchesOf(at);
  const type = [at.type].flat()[0];
  if (branch !== undefined && at.properties === undefined) {
    return rightValue(branch, root, level + 1);
  }
  if (type === 'object' || at.properties !== undefined) {
    const names = (at.required ?? []).filter((name) => at.properties?.[name] !== undefined);
    return Object.fromEntries(
      names.map((name) => [name, rightValue(at.properties[name], root, level + 1)]),
    );
  }
  if (type === 'array') {
    const first = (at.prefixItems ?? []).map((each) => rightValue(each, root, level + 1));
    const items = Array.isArray(at.items) ? at.items : Array(at.minItems ?? 0).fill(at.items ?? {});
    return [...first, ...items.map((each) => rightValue(each, root, level + 1))];
  }
  if (type === 'string') {
    const sample = at.pattern === undefined ? FORMAT_SAMPLES[at.format] : sampleOf(at.pattern);
    return (sample ?? 'a').padEnd(at.minLength ?? 0, 'a');
  }
  if (type === 'number' || type === 'integer') return at.minimum ?? (at.exclusiveMinimum ?? 0) + 1;
  return type === 'boolean' ? true : null;
}

/** Valid values of a schema's branches, and each with an error in it. */
function variantsOf(schema, root) {
  const at = resolved(schema, root);
  const bodies = [at, ...branchesOf(at).slice(0, 8)].map((branch) => rightValue(branch, root));
  const broken = bodies.filter(isRecord).flatMap((body) =>
    Object.keys(body)
      .slice(0, 4)
      .flatMap((name) => {
        const { [name]: _left, ...rest } = body;
        return [rest, { ...body, [name]: 1 }, { ...body, [name]: [1] }];
      }),
  );
  return [...bodies, ...broken];
}

function withMember(at, root, name, inner) {
  const right = rightValue({ ...at, type: 'object' }, root);
  const others = isRecord(right) ? Object.entries(right).filter(([key]) => key !== name) : [];
  return { object: [...others.map(([key, value]) => [key, { value }]), [name, inner]] };
}

function branchesOf({ anyOf = [], oneOf = [], allOf = [] }) {
  return [...anyOf, ...oneOf, ...allOf];
}

/** Follows references within the document. */
function resolved(schema, root) {
  let at = objectOf(schema) ?? {};
  for (let steps = 0; typeof at.$ref === 'string' && steps < 10; steps += 1) {
    const keys = at.$ref.split('/').slice(1);
    at = objectOf(keys.reduce((inner, key) => inner?.[decodeURIComponent(key)], root)) ?? {};
  }
  return at;
}

function takesText(at) {
  return at.type === undefined || [at.type].flat().includes('string');
}

function objectOf(value) {
  return isRecord(value) ? value : undefined;
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
