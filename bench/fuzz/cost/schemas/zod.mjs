// Schemas with zod's own features, for both of its versions.

/** @param z - zod 3 or zod 4. */
export function zodSchemas(z) {
  const text = z.string();
  const node = z.lazy(() => z.object({ name: text, children: z.array(node).optional() }));
  const json = z.lazy(() =>
    z.union([text, z.number(), z.boolean(), z.null(), z.array(json), z.record(text, json)]),
  );
  const shape = (kind, more) => z.object({ kind: z.literal(kind), ...more });
  const schemas = {
    strings: { list: z.array(text) },
    'nullable strings': { list: z.array(text.nullable()) },
    'union of kinds': { list: z.array(z.union([text, z.null(), z.number()])) },
    'union of objects': {
      list: z.array(z.union([z.object({ a: text }), z.object({ b: z.number() }), z.string()])),
    },
    'wide union': {
      list: z.array(
        z.union(
          Array.from({ length: 20 }, (_, index) => shape(`k${index}`, { [`f${index}`]: text })),
        ),
      ),
    },
    'discriminated union': {
      list: z.array(
        z.discriminatedUnion('kind', [
          shape('click', { selector: text }),
          shape('type', { text, delay: z.number().optional() }),
          shape('wait', { ms: z.number().int() }),
        ]),
      ),
    },
    'map of lists': { map: z.record(text, z.array(text)) },
    'map of maps': { map: z.record(text, z.record(text, z.number())) },
    'checked names': { map: z.record(text.regex(/^[a-z]+(_[a-z]+)*$/), z.number()) },
    tree: { tree: node },
    'any JSON': { value: json },
    'coerced text': { value: z.coerce.string() },
    'coerced number': { value: z.coerce.number() },
    'coerced bigint': { value: z.coerce.bigint() },
    'coerced bigints in bounds': { list: z.array(z.coerce.bigint().min(5n).max(10n)) },
    'coerced date': { value: z.coerce.date().min(new Date(0)) },
    'coerced boolean': { value: z.coerce.boolean() },
    'trimmed and lowered': { value: text.trim().toLowerCase().min(3) },
    'pattern with nested repetition': { value: text.regex(/^(a+)+$/) },
    'pattern of words': { value: text.regex(/^(\w+\s?)*$/) },
    'begins and ends': { value: text.startsWith('a').endsWith('z').includes('needle') },
    enum: { list: z.array(z.enum(['red', 'green', 'blue'])) },
    literals: { list: z.array(z.union([z.literal('a'), z.literal(1), z.literal(true)])) },
    tuple: { points: z.array(z.tuple([z.number(), z.number()])) },
    'tuple with more': { tuple: z.tuple([text, z.number()]).rest(z.boolean()) },
    intersection: {
      both: z.intersection(z.object({ a: text }), z.object({ b: z.array(z.number()) })),
    },
    'other names': { open: z.object({ a: text }).catchall(z.number()) },
    'no other names': { closed: z.object({ a: text, b: text.optional() }).strict() },
    'all names': { open: z.object({ a: text }).passthrough() },
    defaults: { a: text.default('x'), list: z.array(z.object({ n: z.number().default(1) })) },
    'whole numbers': { list: z.array(z.number().int().positive().multipleOf(5).max(1e6)) },
    'bounded list': { list: z.array(text.min(2).max(20)).min(1).max(100) },
    'piped number': { value: text.regex(/^\d+$/).pipe(z.coerce.number().max(100)) },
    optional: {
      a: text.optional(),
      b: z.array(text).nullish(),
      c: z.object({ d: text }).partial(),
    },
  };
  return {
    ...Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, z.object(each)])),
    ...formatSchemas(z),
  };
}

const FORMATS = [
  ...['email', 'url', 'uuid', 'emoji', 'base64', 'base64url', 'nanoid', 'cuid', 'cuid2', 'ulid'],
  ...['ip', 'cidr', 'datetime', 'date', 'time', 'duration', 'jwt'],
];

/** Formats with settings, which both versions have. */
const SET_FORMATS = {
  'datetime with offset': (text) => text.datetime({ offset: true, precision: 3 }),
  'time with fractions': (text) => text.time({ precision: 6 }),
  'email and more': (text) => text.trim().toLowerCase().email().max(200),
  'text with parts': (text) => text.startsWith('a').includes('aa', { position: 1 }).endsWith('!'),
};

/** Formats that only zod 4 has. */
const NEWER_FORMATS = {
  'iso datetime': (z) => z.iso.datetime({ offset: true, local: true }),
  'iso duration': (z) => z.iso.duration(),
  hostname: (z) => z.hostname(),
  e164: (z) => z.e164(),
  ipv6: (z) => z.ipv6(),
  cidrv6: (z) => z.cidrv6(),
  hex: (z) => z.hex(),
  'string boolean': (z) => z.stringbool(),
  normalized: (z) => z.string().normalize(),
  'template literal': (z) => z.templateLiteral([z.string(), '-', z.number(), z.enum(['px', 'em'])]),
};

function formatSchemas(z) {
  const older = FORMATS.filter((name) => typeof z.string()[name] === 'function').map((name) => [
    `format ${name}`,
    z.object({ text: z.string()[name]() }),
  ]);
  const newer = Object.entries('iso' in z ? NEWER_FORMATS : {}).map(([name, make]) => [
    `format ${name}`,
    z.object({ text: make(z) }),
  ]);
  const set = Object.entries(SET_FORMATS).map(([name, make]) => [
    `format ${name}`,
    z.object({ text: make(z.string()) }),
  ]);
  return Object.fromEntries([...older, ...set, ...newer]);
}
