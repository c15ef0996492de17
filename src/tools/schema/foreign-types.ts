/** Words for types in programming languages and other formats of schemas. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['str', 'text', 'char', 'varchar', 'date', 'datetime', 'uuid'],
  number: ['float', 'double', 'decimal', 'numeric', 'real'],
  integer: ['int', 'int32', 'int64', 'long', 'bigint'],
  boolean: ['bool'],
  object: ['dict', 'map', 'mapping', 'record', 'struct', 'json'],
  array: ['list', 'tuple', 'set', 'sequence', 'vector'],
  null: ['none', 'nonetype', 'nil', 'undefined', 'void'],
};

const ANYTHING: ReadonlySet<string> = new Set(['any', 'unknown', 'mixed']);

/** What to write in JSON Schema instead of a `type` that it does not have. */
export function typeAdvice(type: unknown): string {
  // Such as `List[str]` and `STRING`.
  const [word = ''] = /^\w*/.exec(String(type).toLowerCase()) ?? [];
  if (ANYTHING.has(word)) return 'Leave "type" out, so that any value is accepted';
  const meant = Object.keys(WORDS).find((name) => name === word || WORDS[name]?.includes(word));
  return meant === undefined ? `Write one of ${Object.keys(WORDS).join(', ')}` : `Write "${meant}"`;
}
