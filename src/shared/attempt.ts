/**
 * What a function returns; undefined if it throws, for example because the process that it reads
 * about has ended.
 */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
