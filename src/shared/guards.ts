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

/**
 * Whether a value is a number of milliseconds that Node's timers can wait. Longer ones than
 * 2^31 - 1 ms make a timer fire at once.
 */
export function isDelay(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 2 ** 31;
}
