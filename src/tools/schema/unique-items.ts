import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';

/**
 * `uniqueItems` in time proportional to the array: ajv's own compares each element with each other
 * one.
 */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate: validateUnique,
};

function validateUnique(isUnique: boolean, items: readonly unknown[]): boolean {
  const repeated = isUnique ? findRepeated(items) : undefined;
  if (!repeated) return true;
  const message = `has the same element at ${repeated.join(' and ')}, but elements must be unique`;
  (validateUnique as SchemaValidateFunction).errors = [
    { keyword: 'uniqueItems', params: {}, message },
  ];
  return false;
}

function findRepeated(items: readonly unknown[]): [number, number] | undefined {
  const values = new Map<unknown, number>();
  const objects = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const isObject = typeof item === 'object' && item !== null;
    const key = isObject ? canonicalText(item) : item;
    const seen: Map<unknown, number> = isObject ? objects : values;
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, index];
    seen.set(key, index);
  }
  return undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? canonicalText(value) : JSON.stringify(value);
}

/** The same text for equal values, in any order of their keys. */
function canonicalText(value: object): string {
  const parts = Array.isArray(value)
    ? value.map(textOf)
    : Object.keys(value)
        .sort()
        .map((key) => `${JSON.stringify(key)}:${textOf((value as Record<string, unknown>)[key])}`);
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`;
}
