/** What the value of an option can be, if nothing else about it is checked first. */
export type OptionKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'function'
  | 'array'
  | 'object'
  | 'plain'
  | 'signal';

interface Kind {
  /** What a value must be: a phrase. */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

export const OPTION_KINDS: Readonly<Record<OptionKind, Kind>> = {
  text: { expected: 'text', accepts: (value) => typeof value === 'string' },
  number: {
    expected: 'a number',
    accepts: (value) => typeof value === 'number' && !Number.isNaN(value),
  },
  boolean: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  function: { expected: 'a function', accepts: (value) => typeof value === 'function' },
  array: { expected: 'an array', accepts: (value) => Array.isArray(value) },
  object: { expected: 'an object', accepts: isObject },
  signal: {
    expected: 'an AbortSignal, such as the signal of an AbortController',
    accepts: (value) => value instanceof AbortSignal,
  },
  plain: { expected: 'an object of the form { … }', accepts: isPlainObject },
};

/** Whether a value is of a kind. One that cannot be read, such as a revoked proxy, is of none. */
export function isOfKind(value: unknown, kind: OptionKind): boolean {
  try {
    return OPTION_KINDS[kind].accepts(value);
  } catch {
    return false;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value is an object as a literal makes it, perhaps of another realm. Copies of others,
 * such as a Map or an instance of a class with getters, lack what they have.
 */
export function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
