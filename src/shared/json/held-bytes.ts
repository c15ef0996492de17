/** What V8 needs for values on a machine with 64 bits, rounded up. */
const OBJECT_BYTES = 64;
const PROPERTY_BYTES = 40;
const ITEM_BYTES = 16;

/**
 * Estimates the memory of a JSON value, in bytes. A short text can become a large value: each `[]`
 * in a JSON text takes more than twenty times as much memory as its two characters.
 * @param most - Counting stops above this.
 */
export function heldBytes(value: unknown, most: number): number {
  const waiting: unknown[] = [value];
  let bytes = 0;
  while (waiting.length > 0 && bytes <= most) {
    const next = waiting.pop();
    if (typeof next === 'string') bytes += 2 * next.length;
    if (typeof next !== 'object' || next === null) continue;
    bytes += OBJECT_BYTES;
    for (const key in next) {
      if (!Object.hasOwn(next, key)) continue;
      bytes += Array.isArray(next) ? ITEM_BYTES : PROPERTY_BYTES + 2 * key.length;
      if (bytes > most) break;
      waiting.push((next as Record<string, unknown>)[key]);
    }
  }
  return bytes;
}
