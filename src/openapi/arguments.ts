import type { JsonObject } from '../shared/json/json.ts';
import { escapeControls } from '../shared/control-characters.ts';
import type { Body } from './document/body.ts';
import type { OpenApiDocument } from './document/document.ts';
import { PLACES, type Parameter } from './document/parameters.ts';
import type { CopiedSchema } from './schema/copy-schema.ts';
import { fieldStyleOf } from './request/field-style.ts';
import { withLongIntegers } from './schema/long-integers.ts';
import { plainPropertiesOf } from './schema/plain-properties.ts';
import type { Schemas } from './schema/schemas.ts';

/** What a tool takes. */
export interface Arguments {
  readonly inputSchema: JsonObject;
  /** The names of the arguments that may be null, which is the same as to leave them out. */
  readonly nullIsAbsent: ReadonlySet<string>;
  /** The parameters, each with the name of its argument. */
  readonly parameters: readonly (readonly [argument: string, parameter: Parameter])[];
  /**
   * What the body is made of: one argument, or one for each of its properties. Undefined without a
   * body.
   */
  readonly body: string | readonly (readonly [argument: string, property: string])[] | undefined;
}

interface Member {
  readonly argument: string;
  readonly copy: CopiedSchema;
  readonly description: unknown;
  readonly isRequired: boolean;
  /** Whether it may be null, whatever its schema says, and is not sent then. */
  readonly nullIsAbsent: boolean;
}

type Add = (place: string, name: string, member: Omit<Member, 'argument'>) => string;

/**
 * Puts the parameters of an operation and the properties of its body into one object of arguments.
 * If a name is in several places, the first of path, query, header, cookie and body has it, and the
 * others begin with their place: `query_id`, `body_id`.
 */
export function argumentsOf(
  document: OpenApiDocument,
  schemas: Schemas,
  parameters: readonly Parameter[],
  body: Body | undefined,
): Arguments {
  const members = new Map<string, Member>();
  const nameIn = (place: string, name: string): string => {
    let free = members.has(name) ? `${place}_${name}` : name;
    while (members.has(free)) free = `${free}_`;
    return free;
  };
  const add: Add = (place, name, member) => {
    const argument = nameIn(place, name);
    const copy = member.nullIsAbsent ? schemas.orNull(member.copy) : member.copy;
    members.set(argument, { ...member, argument, copy });
    return argument;
  };
  const sorted = PLACES.flatMap((place) => parameters.filter((one) => one.place === place));
  const named = sorted.map((parameter) => {
    const { place, name, schema, description, isRequired, style } = parameter;
    const taken = style === 'json' ? schema : withLongIntegers(document, schema);
    const copy = schemas.copy(taken, 'request');
    const member = { copy, description, isRequired, nullIsAbsent: !isRequired };
    return [add(place, name, member), parameter] as const;
  });
  const from = body && addBody(document, schemas, body, add);
  const all = [...members.values()];
  const absent = all.filter(({ nullIsAbsent }) => nullIsAbsent).map(({ argument }) => argument);
  return {
    inputSchema: schemaOf(schemas, all),
    nullIsAbsent: new Set(absent),
    parameters: named,
    body: from,
  };
}

function addBody(
  document: OpenApiDocument,
  schemas: Schemas,
  body: Body,
  add: Add,
): NonNullable<Arguments['body']> {
  const { schema, isRequired, description, encoding, encodings } = body;
  const isForm = encoding === 'form' || encoding === 'multipart';
  const object = document.resolve(schema);
  const properties = object && document.readOnce(plainPropertiesOf, object);
  if (properties === undefined) {
    const copy = schemas.copy(schema, 'request');
    // The fields of a form are the members of an object, whatever the document says.
    const taken = isForm ? { ...copy, schema: { ...copy.schema, type: 'object' } } : copy;
    return add('body', 'body', { copy: taken, description, isRequired, nullIsAbsent: false });
  }
  return properties.map(({ name, schema: property, isNeeded }) => {
    const isText = isForm && fieldStyleOf(encodings, name)?.style !== 'json';
    const taken = isText ? withLongIntegers(document, property) : property;
    const copy = schemas.copy(taken, 'request');
    const isDemanded = isRequired && isNeeded;
    // In JSON, null is a value.
    const nullIsAbsent = isForm && !isNeeded;
    const member = { copy, description: undefined, isRequired: isDemanded, nullIsAbsent };
    return [add('body', name, member), name] as const;
  });
}

function schemaOf(schemas: Schemas, members: readonly Member[]): JsonObject {
  const properties = members.map(({ argument, copy, description }) => [
    argument,
    describe(copy.schema, description),
  ]);
  const required = members.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  const copies = members.map(({ copy }) => copy);
  return schemas.withDefinitions(schema, copies, 'request');
}

function describe(schema: JsonObject, description: unknown): JsonObject {
  if (typeof description !== 'string' || description === '') return schema;
  return { ...schema, description: escapeControls(description.slice(0, 1000)) };
}
