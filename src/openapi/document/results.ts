import { isRecord } from '../../shared/guards.ts';
import { mediaTypesOf } from './body.ts';
import type { OpenApiDocument, Part } from './document.ts';
import { encodingOf } from './media-types.ts';

/** What a successful answer can be: JSON of a schema, text, nothing, or something unknown. */
export type Result =
  | { readonly kind: 'json'; readonly schema: unknown }
  | { readonly kind: 'text' | 'nothing' | 'unknown' };

/** The schemas of more would tell a model little. */
const MAXIMUM_ANSWERS = 10;

/** The answers of an operation with a status of success, or else the `default` one; none if it has no answers. */
export function resultsOf(document: OpenApiDocument, part: Part): readonly Result[] {
  const { responses } = part;
  if (!isRecord(responses)) return [];
  const statuses = Object.keys(responses).filter((status) => /^2(\d\d|XX)$/i.test(status));
  const described = statuses.length > 0 ? statuses : ['default'];
  if (described.length > MAXIMUM_ANSWERS) return [{ kind: 'unknown' }];
  return described.map((status) => {
    const response = document.resolve(responses[status]);
    // It may be in another file.
    if (response === undefined) return { kind: 'unknown' };
    return document.version === '2.0'
      ? readContent(document, swaggerContent(document, part, response))
      : document.readOnce(readResponse, response);
  });
}

function readResponse(document: OpenApiDocument, { content }: Part): Result {
  return readContent(document, content);
}

function readContent(document: OpenApiDocument, content: unknown): Result {
  if (!isRecord(content)) return { kind: 'nothing' };
  const types = Object.keys(content);
  const json = types.find((type) => encodingOf(type) === 'json');
  if (json !== undefined) {
    return { kind: 'json', schema: document.resolve(content[json])?.['schema'] ?? {} };
  }
  if (types.length === 0) return { kind: 'nothing' };
  return { kind: types.every((type) => encodingOf(type) === 'text') ? 'text' : 'unknown' };
}

function swaggerContent(document: OpenApiDocument, part: Part, { schema }: Part): Part | undefined {
  if (schema === undefined) return undefined;
  const types = mediaTypesOf(document, part, 'produces');
  const all = types.length === 0 ? ['application/json'] : types;
  return Object.fromEntries(all.map((type) => [type, { schema }]));
}
