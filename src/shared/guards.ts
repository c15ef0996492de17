/** Whether a value is an object that is not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value has a method of this name. One that cannot be read, such as a revoked proxy, has none. */
export function hasMethod(value: unknown, name: string | symbol): boolean {
  try {
    const method: unknown = Object(value)[name];
    return typeof method === 'function';
  } catch {
    return false;
  }
}
