const MAX_LENGTH = 100;

/** A value that someone passed, for an error message. A text is in quotes, so that "5000" does not look like a number. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    const isLong = value.length > MAX_LENGTH;
    return JSON.stringify(isLong ? `${value.slice(0, MAX_LENGTH)}…` : value);
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return showObject(value);
}

/** A proxy that cannot be read, such as a revoked one, is an object. */
function showObject(value: object): string {
  try {
    if (!Array.isArray(value)) return 'an object';
    return value.length === 0 ? 'an empty array' : 'an array';
  } catch {
    return 'an object';
  }
}
