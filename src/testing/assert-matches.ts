import assert from 'node:assert/strict';
import { inspect } from 'node:util';

/**
 * Checks that a value has the expected parts. It may have more: of an object, only the expected properties are compared.
 * A list must have the expected length. A pattern is compared with a text. Prototypes do not matter.
 * @throws AssertionError that shows the whole value, and the place of the first difference.
 */
export function assertMatches(actual: unknown, expected: unknown): void {
  const place = differenceOf(actual, expected, 'the value');
  if (place === undefined) return;
  const wanted = inspect(expected, { depth: 10 });
  const message = `${place} is not as expected: ${wanted}. The value: ${inspect(actual, { depth: 10 })}`;
  assert.fail(message);
}

/** The place of the first difference. */
function differenceOf(actual: unknown, expected: unknown, place: string): string | undefined {
  if (expected instanceof RegExp) {
    return typeof actual === 'string' && expected.test(actual) ? undefined : place;
  }
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(actual, expected) ? undefined : place;
  }
  if (typeof actual !== 'object' || actual === null) return place;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return place;
  }
  const values = actual as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(expected)) {
    const difference = differenceOf(values[name], value, `${place}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
