import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from './document.ts';

/** Where a request has a parameter. */
export type Place = 'path' | 'query' | 'header' | 'cookie';

export const PLACES: readonly Place[] = ['path', 'query', 'header', 'cookie'];

/** How lists and objects are written. */
export type Style = 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';

export interface Parameter {
  readonly name: string;
  readonly place: Place;
  readonly isRequired: boolean;
  readonly description: unknown;
  readonly schema: unknown;
  readonly style: Style;
  /** Whether each element of a list, or each member of an object, is written by itself. */
  readonly explode: boolean;
}

/** What an operation has that cannot be sent: a phrase. */
export class Unsupported extends Error {}

const MAXIMUM_PARAMETERS = 200;

/**
 * The parameters that an operation has of its own, or of its path. Those of the body in Swagger 2.0
 * are not among them.
 * @throws Unsupported
 */
export function parametersOf(
  document: OpenApiDocument,
  { part, pathItem }: { readonly part: Part; readonly pathItem: Part },
): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  for (const object of parameterObjects(document, { part, pathItem })) {
    const { in: place } = object;
    if (place === 'body' || place === 'formData') continue;
    const parameter = document.readOnce(readParameter, object);
    found.set(`${parameter.place} ${parameter.name}`, parameter);
  }
  return [...found.values()];
}

/** @throws Unsupported */
function readParameter({ version }: OpenApiDocument, object: Part): Parameter {
  const { name, in: place } = object;
  if (typeof name !== 'string' || name === '') throw new Unsupported('a parameter has no name');
  // A validator would not know it.
  if (name === '__proto__') throw new Unsupported('a parameter has the name __proto__');
  if (!PLACES.includes(place as Place)) {
    throw new Unsupported(`the parameter ${quoted(name)} is in ${quoted(place)}`);
  }
  const read = version === '2.0' ? readSwagger : read3;
  return read(object, name, place as Place);
}

/** The parameters of a path, then those of an operation, which replace them. */
export function* parameterObjects(
  document: OpenApiDocument,
  { part, pathItem }: { readonly part: Part; readonly pathItem: Part },
): Generator<Part> {
  for (const list of [pathItem['parameters'], part['parameters']]) {
    if (!Array.isArray(list)) continue;
    if (list.length > MAXIMUM_PARAMETERS) {
      throw new Unsupported(`it has more than ${MAXIMUM_PARAMETERS} parameters`);
    }
    for (const value of list) {
      const object = document.resolve(value);
      if (object === undefined) throw new Unsupported('a parameter is not in the document');
      yield object;
    }
  }
}

const STYLES: Readonly<Record<Place, readonly string[]>> = {
  path: ['simple'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

function read3(
  { required, description, schema, content, style: given, explode }: Part,
  name: string,
  place: Place,
): Parameter {
  const base = { name, place, isRequired: required === true || place === 'path', description };
  if (isRecord(content)) {
    const [type = '', media] = Object.entries(content)[0] ?? [];
    if (!/^application\/(.+\+)?json\b/i.test(type)) {
      throw new Unsupported(`the parameter ${quoted(name)} is written as ${quoted(type)}`);
    }
    const inner = isRecord(media) ? media['schema'] : undefined;
    return { ...base, schema: inner, style: 'json', explode: false };
  }
  const style = given ?? STYLES[place][0];
  if (!STYLES[place].includes(style as string)) {
    throw new Unsupported(`the parameter ${quoted(name)} has the style ${quoted(style)}`);
  }
  const isExploded = typeof explode === 'boolean' ? explode : style === 'form';
  return { ...base, schema, style: style as Style, explode: isExploded };
}

/** The styles of Swagger 2.0, which has lists of values, but no objects. */
const COLLECTIONS: ReadonlyMap<unknown, Pick<Parameter, 'style' | 'explode'>> = new Map<
  unknown,
  Pick<Parameter, 'style' | 'explode'>
>([
  ['csv', { style: 'form', explode: false }],
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
  ['multi', { style: 'form', explode: true }],
]);

/**
 * How Swagger 2.0 writes the list of a parameter.
 * @throws Unsupported
 */
export function collectionOf({
  name,
  in: place,
  collectionFormat = 'csv',
}: Part): Pick<Parameter, 'style' | 'explode'> {
  const collection = COLLECTIONS.get(collectionFormat);
  const isSimple = place === 'path' || place === 'header';
  if (collection !== undefined && !(isSimple && collectionFormat !== 'csv')) {
    return isSimple ? { ...collection, style: 'simple' } : collection;
  }
  throw new Unsupported(
    `the parameter ${quoted(name)} has the collectionFormat ${quoted(collectionFormat)}`,
  );
}

function readSwagger(object: Part, name: string, place: Place): Parameter {
  const { required, description } = object;
  return {
    name,
    place,
    isRequired: required === true || place === 'path',
    description,
    // It is a schema itself. Its other members mean nothing there.
    schema: object,
    ...collectionOf(object),
  };
}

/** A value of a document, for a message. */
export function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 100));
}
