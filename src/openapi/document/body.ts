import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from './document.ts';
import { baseType, encodingOf, sentType, type Encoding } from './media-types.ts';
import { collectionOf, parameterObjects, quoted, Unsupported } from './parameters.ts';

/** The body of an operation's requests. */
export interface Body {
  readonly encoding: Exclude<Encoding, 'binary'>;
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly description: unknown;
  readonly schema: unknown;
  /** Of `form` and `multipart`: how each property is written, by its name. */
  readonly encodings: Part;
}

/** The encodings that can be sent, the best first. */
const PREFERRED = ['json', 'form', 'multipart', 'text'] as const;

/**
 * The body of an operation; undefined if it has none.
 * @throws Unsupported
 */
export function bodyOf(
  document: OpenApiDocument,
  method: string,
  found: { readonly part: Part; readonly pathItem: Part },
): Body | undefined {
  // A body has no meaning there, and `fetch` sends none.
  if (method === 'GET' || method === 'HEAD') return undefined;
  return document.version === '2.0' ? swaggerBody(document, found) : bodyOf3(document, found.part);
}

function bodyOf3(document: OpenApiDocument, { requestBody }: Part): Body | undefined {
  if (!isRecord(requestBody)) return undefined;
  const object = document.resolve(requestBody);
  if (object === undefined) throw new Unsupported('its body is not in the document');
  return document.readOnce(readBody, object);
}

function readBody(document: OpenApiDocument, object: Part): Body | undefined {
  const { content, required, description } = object;
  const types = isRecord(content) ? Object.keys(content) : [];
  if (types.length === 0) return undefined;
  let obstacle: string | undefined;
  for (const encoding of PREFERRED) {
    const type = types.find((name) => encodingOf(name) === encoding);
    const media = type !== undefined && isRecord(content) ? document.resolve(content[type]) : null;
    if (type === undefined || !media) continue;
    const { encoding: encodings } = media;
    if (encoding === 'multipart') {
      obstacle = obstacleIn(document, media['schema']);
      if (obstacle !== undefined) continue;
    }
    return {
      encoding,
      mediaType: sentType(type),
      isRequired: required === true,
      ...(encoding === 'text' && baseType(type) !== 'text/plain'
        ? textBody(document, baseType(type), { schema: media['schema'], description })
        : { schema: media['schema'], description }),
      encodings: isRecord(encodings) ? encodings : {},
    };
  }
  throw new Unsupported(obstacle ?? `its body is written as ${quoted(types[0])}`);
}

type Described = Pick<Body, 'schema' | 'description'>;

const TEXT = { type: 'string' };

/** A body in a format that only its author can write, such as XML or CSV, is an argument of text. */
function textBody(document: OpenApiDocument, mediaType: string, given: Described): Described {
  const isText = document.resolve(given.schema)?.['type'] === 'string';
  const texts = [`The text of the body, as ${mediaType}.`, given.description];
  return {
    schema: isText ? given.schema : TEXT,
    description: texts.filter((text) => typeof text === 'string').join(' '),
  };
}

/** In Swagger 2.0, a body is a parameter, or its properties are. */
function swaggerBody(
  document: OpenApiDocument,
  found: { readonly part: Part; readonly pathItem: Part },
): Body | undefined {
  const objects = [...parameterObjects(document, found)];
  const types = mediaTypesOf(document, found.part, 'consumes');
  const body = objects.find(({ in: place }) => place === 'body');
  if (body !== undefined) {
    const type = types.find((name) => encodingOf(name) === 'json') ?? types[0] ?? JSON_TYPE;
    const content = { [type]: { schema: body['schema'] } };
    return readBody(document, { ...body, content });
  }
  const fields = objects.filter(({ in: place }) => place === 'formData');
  if (fields.length === 0) return undefined;
  // A file cannot be sent in another form, whatever the document says.
  const isMultipart =
    types.some((name) => encodingOf(name) === 'multipart') ||
    fields.some(({ type: kind }) => kind === 'file');
  const needed = fields.filter(({ required }) => required === true).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [String(field['name']), field])),
    required: needed,
  };
  const type = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
  const lists = fields.filter(({ type: kind }) => kind === 'array');
  const encoding = Object.fromEntries(lists.map((one) => [String(one['name']), collectionOf(one)]));
  const content = { [type]: { schema, encoding } };
  return readBody(document, { content, required: needed.length > 0 });
}

/** Each operation may refer to the same list. */
const MAXIMUM_TYPES = 100;

const JSON_TYPE = 'application/json';

/** The media types of an operation in Swagger 2.0. */
export function mediaTypesOf(
  document: OpenApiDocument,
  part: Part,
  member: 'consumes' | 'produces',
): readonly string[] {
  const types = part[member] ?? document.root[member];
  const some = Array.isArray(types) ? types.slice(0, MAXIMUM_TYPES) : [];
  return some.filter((type) => typeof type === 'string');
}

/**
 * Why a multipart body cannot be sent: files and objects would need parts of their own. Undefined if
 * it can.
 */
function obstacleIn(document: OpenApiDocument, schema: unknown): string | undefined {
  const { properties } = document.resolve(schema) ?? {};
  if (!isRecord(properties)) return 'its multipart body has no properties';
  const other = Object.entries(properties).find(([, property]) => !isPart(document, property));
  return other && `the part ${quoted(other[0])} of its multipart body is a file or an object`;
}

/** Whether a property is a part of text, or a list of such parts. Null is not sent, so it may be allowed too. */
function isPart(document: OpenApiDocument, property: unknown): boolean {
  return choicesOf(document, property).every((choice) =>
    typesOf(choice).every((type) =>
      type === 'array'
        ? choicesOf(document, choice['items']).every((item) =>
            typesOf(item).every((kind) => SIMPLE.has(kind)),
          )
        : type === 'null' || SIMPLE.has(type),
    ),
  );
}

const SIMPLE: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** Many properties may refer to the same long list. */
const MAXIMUM_CHOICES = 20;

/** A schema, or its alternatives: many documents say with them that a value can be null. */
function choicesOf(document: OpenApiDocument, schema: unknown): readonly Part[] {
  const part = document.resolve(schema) ?? {};
  const list = [part['anyOf'], part['oneOf']].find((one) => Array.isArray(one));
  if (part['type'] !== undefined || !isShortList(list)) return [part];
  return list.map((one) => document.resolve(one) ?? {});
}

/** The types of a schema; `undefined` if it names none, and `file` for a file. */
function typesOf({ type, format, contentMediaType }: Part): readonly unknown[] {
  const isFile = format === 'binary' || contentMediaType !== undefined;
  if (isFile) return ['file'];
  return isShortList(type) ? type : [type];
}

function isShortList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAXIMUM_CHOICES;
}
