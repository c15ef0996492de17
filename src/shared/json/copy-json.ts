/**
 * Copies the lists and plain objects of a JSON value, so that whoever gets the copy cannot change
 * the original. Objects keep their prototype, or have none. Any other value is the same in the copy.
 * @param value - The function is recursive: limit the depth first.
 */
export function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyJson(item));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  // An assignment of `__proto__` would replace the prototype, unless there is none.
  if (prototype !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyJson(item)]));
  }
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = copyJson(item);
  return copy;
}
