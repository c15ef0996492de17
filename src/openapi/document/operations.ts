import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from './document.ts';
import { quoted } from './parameters.ts';

/** The methods whose operations can be tools. `fetch` sends no others. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

const MAXIMUM_NAME = 128;

/** An operation of a document, for `operations`. */
export interface OpenApiOperation {
  /**
   * The name of its tool, without that of the source: its `operationId`, or otherwise its method and
   * path, such as `get_pets_petId`. A `:` is a `_`.
   */
  readonly name: string;
  readonly operationId: string | undefined;
  /** In capitals, such as `GET`. */
  readonly method: string;
  /** As in the document, such as `/pets/{petId}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
}

/** An operation with what the document says about it. */
export interface FoundOperation {
  readonly operation: OpenApiOperation;
  /** The operation object. */
  readonly part: Part;
  /** The path item object, which has what its operations share. */
  readonly pathItem: Part;
}

/** The operations of a document, in its order. */
export function* operationsOf(document: OpenApiDocument): Generator<FoundOperation> {
  for (const [path, item] of Object.entries(document.paths)) {
    const pathItem = path.startsWith('/') ? document.resolve(item) : undefined;
    if (pathItem === undefined) continue;
    for (const method of METHODS) {
      const part = pathItem[method];
      if (isRecord(part)) yield { operation: describe(method, path, part), part, pathItem };
    }
  }
}

/** What is among the paths that cannot be read, or has a method that cannot be sent, with the reasons. */
export function unreadPartsOf(document: OpenApiDocument): readonly string[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    // A member that begins with `x-` is an extension.
    if (path.startsWith('x-') || !isRecord(item)) return [];
    const shown = path.slice(0, 100);
    if (!path.startsWith('/')) return [`all of ${shown} (a path must begin with /)`];
    const pathItem = document.resolve(item);
    if (pathItem !== undefined) {
      return isRecord(pathItem['trace']) ? [`TRACE ${shown} (the method cannot be sent)`] : [];
    }
    return [`all of ${shown} (it refers to ${quoted(item['$ref'])}, which is not in the document)`];
  });
}

function describe(method: string, path: string, part: Part): OpenApiOperation {
  const { operationId, tags, deprecated } = part;
  const id = typeof operationId === 'string' && operationId !== '' ? operationId : undefined;
  return {
    name: (id ?? nameOf(method, path)).replaceAll(':', '_'),
    operationId: id,
    method: method.toUpperCase(),
    path,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    isDeprecated: deprecated === true,
  };
}

/** `get` and `/pets/{petId}.json` are `get_pets_petId_json`. */
function nameOf(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== '');
  return [method, ...words].join('_').slice(0, MAXIMUM_NAME);
}
