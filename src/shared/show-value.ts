const MAX_LENGTH = 100;

/** A value that someone passed, for an error message. A text is in quotes, so that "5000" does not look like a number. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    const isLong = value.length > MAX_LENGTH;
    return JSON.stringify(isLong ? `${value.slice(0, MAX_LENGTH)}…` : value);
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return isArray(value) ? 'an array' : 'an object';
}

/** Returns false for a revoked proxy, for which `Array.isArray` throws. */
function isArray(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
