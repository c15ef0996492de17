import { createRequire } from 'node:module';
import { types } from 'node:util';
import { loadDependency } from '../../shared/installation.ts';
import type { TextUses } from '../patterns/hostile-text.ts';
import { isLinearRegExp } from '../patterns/patterns.ts';
import { unfoldedSize } from './schema-size.ts';

// Loaded with the first schema that has a pattern of unknown cost.
const load = createRequire(import.meta.url);

/** Facts about a zod schema of either version that determine how long a check takes. */
export interface ZodSchemaFacts extends TextUses {
  /**
   * The number of its parts, where each part counts wherever it is used. Infinity if it uses
   * itself, or if it is unknown how long a part takes.
   */
  readonly size: number;
  /** The tool author's patterns whose time may grow faster than the length of the text. */
  readonly unboundedPatterns: readonly RegExp[];
  /** Whether a refinement or transform is an async function. One may also return a promise unseen. */
  readonly isAsynchronous: boolean;
}

/** A schema or a check of zod: `_zod.def` in version 4, `_def` in version 3. */
interface Part {
  readonly _zod?: { readonly def: object; readonly pattern?: unknown };
  readonly _def?: object;
}

/** Formats for which some versions of zod use the URL parser. */
const urlFormats: ReadonlySet<unknown> = new Set(['url', 'httpUrl']);
const hostFormats: ReadonlySet<unknown> = new Set(['ipv6', 'cidrv6']);
/** Checks whose pattern is only for the JSON Schema. */
const describedOnly: ReadonlySet<unknown> = new Set([
  'includes',
  'starts_with',
  'ends_with',
  'lowercase',
  'uppercase',
]);

/**
 * Checks of zod 3 without a pattern of zod's own. The others do not reveal their patterns, and some
 * take exponential time, such as that of `emoji`.
 */
const boundedKinds: ReadonlySet<string> = new Set([
  ...(['min', 'max', 'length', 'int', 'multipleOf', 'finite', 'regex', 'includes'] as const),
  ...(['startsWith', 'endsWith', 'trim', 'toLowerCase', 'toUpperCase'] as const),
]);

export function readZodSchema(schema: object): ZodSchemaFacts {
  const patterns = new Map<string, RegExp>();
  let hasUrls = false;
  let hasHosts = false;
  let hasNormalForms = false;
  let hasUnknownFormat = false;
  let isAsynchronous = false;
  const size = unfoldedSize(schema, (part: Part) => {
    const { _zod: internals, _def: ofZod3 } = part;
    const definition = (internals?.def ?? ofZod3 ?? part) as Readonly<Record<string, unknown>>;
    const { format, check, kind, type } = definition;
    hasUrls ||= urlFormats.has(format) || kind === 'url';
    hasHosts ||= hostFormats.has(format);
    hasNormalForms ||= check === 'overwrite';
    const isCheckOfZod3 = internals === undefined && ofZod3 === undefined;
    hasUnknownFormat ||= isCheckOfZod3 && typeof kind === 'string' && !boundedKinds.has(kind);
    const pattern =
      type === 'template_literal'
        ? internals?.pattern
        : (definition['regex'] ?? (describedOnly.has(format) ? undefined : definition['pattern']));
    if (pattern instanceof RegExp) patterns.set(String(pattern), pattern);
    isAsynchronous ||= hasAsyncFunction(definition) || hasAsyncFunction(definition['effect'] ?? {});
    return partsIn(definition);
  });
  const unboundedPatterns = [...patterns.values()].filter(
    (pattern) => !isLinearRegExp(pattern) && !isOfZod(pattern),
  );
  return {
    size: hasUnknownFormat ? Infinity : size,
    unboundedPatterns,
    hasUrls,
    hasHosts,
    hasNormalForms,
    isAsynchronous,
  };
}

/** Whether a check calls one. `reverseTransform` of a codec only encodes values. */
function hasAsyncFunction(definition: object): boolean {
  return Object.entries(definition).some(
    ([name, value]) => name !== 'reverseTransform' && types.isAsyncFunction(value),
  );
}

/** The schemas and checks in a definition, in any list, map or object. */
function partsIn(definition: Readonly<Record<string, unknown>>): Part[] {
  const parts: Part[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 3) return;
    if ('_zod' in value || '_def' in value || 'kind' in value) parts.push(value as Part);
    else if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
      for (const inner of value.values()) collect(inner, depth + 1);
    } else for (const inner of Object.values(value)) collect(inner, depth + 1);
  };
  for (const [key, value] of Object.entries(definition)) {
    // z.lazy has a getter, and an object of zod 3 has a function that returns its shape.
    const isFunction = (key === 'getter' || key === 'shape') && typeof value === 'function';
    collect(isFunction ? (value as () => unknown)() : value, 0);
  }
  return parts;
}

let ownPatterns: Set<string> | undefined;

/**
 * Whether a pattern is one of zod's own, which are linear. One from another version may be unknown,
 * which only costs time.
 */
function isOfZod(pattern: RegExp): boolean {
  if (ownPatterns === undefined) {
    const { regexes } = loadDependency(() => load('zod/v4/core') as typeof import('zod/v4/core'));
    const all: readonly unknown[] = Object.values(regexes);
    ownPatterns = new Set(all.filter((value) => value instanceof RegExp).map(String));
    ownPatterns.add(String(regexes.emoji()));
  }
  return ownPatterns.has(String(pattern));
}
