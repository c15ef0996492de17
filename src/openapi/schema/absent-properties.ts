import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from '../document/document.ts';
import { isMarked } from './keywords.ts';

type Mark = 'readOnly' | 'writeOnly';

/** Of schemas, and of each list of them. What is beyond may require more than a value has. */
const MAXIMUM = 100;

/** `readOnce` needs the same function each time. */
const READERS = {
  readOnly: (document: OpenApiDocument, schema: Part) => readAbsent(document, schema, 'readOnly'),
  writeOnly: (document: OpenApiDocument, schema: Part) => readAbsent(document, schema, 'writeOnly'),
};

/** The names of the properties with a mark that a schema itself has. */
export function absentFrom(
  document: OpenApiDocument,
  schema: Part,
  mark: Mark,
): ReadonlySet<string> {
  return document.readOnce(READERS[mark], schema);
}

function readAbsent(document: OpenApiDocument, schema: Part, mark: Mark): ReadonlySet<string> {
  const { properties } = schema;
  const absent = Object.entries(isRecord(properties) ? properties : {}).filter(
    ([, property]) => isMarked(property, mark) || isMarked(document.resolve(property), mark),
  );
  return new Set(absent.map(([name]) => name));
}

/**
 * The same of a schema and of those that it applies to the same value: any of them may require what
 * another one marks. Not put together, because many schemas may share large ones.
 */
export function allAbsentFrom(
  document: OpenApiDocument,
  schema: Part,
  mark: Mark,
): readonly ReadonlySet<string>[] {
  const reached = new Set<Part>([schema]);
  // A loop over a set also reaches what is added meanwhile.
  for (const part of reached) {
    const target = document.resolve(part);
    for (const list of [part['allOf'], part['anyOf'], part['oneOf']]) {
      // Many schemas may refer to one with a long list.
      for (const next of Array.isArray(list) ? list.slice(0, MAXIMUM) : [])
        if (isRecord(next) && reached.size < MAXIMUM) reached.add(next);
    }
    if (target !== undefined) reached.add(target);
  }
  return [...reached].map((one) => absentFrom(document, one, mark)).filter(({ size }) => size > 0);
}
