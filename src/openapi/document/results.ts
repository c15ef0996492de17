import { isRecord } from '../../shared/guards.ts';
import { mediaTypesOf } from './body.ts';
import type { OpenApiDocument, Part } from './document.ts';
import { encodingOf } from './media-types.ts';

/** What a successful answer can be: JSON of a schema, text, nothing, or something unknown. */
export type Result =
  | { readonly kind: 'json'; readonly schema: unknown }
  | { readonly kind: 'text' | 'nothing' | 'unknown' };

const MAXIMUM_ANSWERS = 10;

/** The answers of an operation with a status of success. Those that are not described are not there. */
export function resultsOf(document: OpenApiDocument, part: Part): readonly Result[] {
  const { responses } = part;
  if (!isRecord(responses)) return [];
  const statuses = Object.keys(responses).filter((status) => /^2(\d\d|XX)$/i.test(status));
  const described = statuses.length > 0 ? statuses : ['default'];
  return described
    .slice(0, MAXIMUM_ANSWERS)
    .map((status) => document.resolve(responses[status]))
    .filter((response) => response !== undefined)
    .map((response) =>
      document.version === '2.0'
        ? readContent(document, swaggerContent(document, part, response))
        : document.readOnce(readResponse, response),
    );
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
