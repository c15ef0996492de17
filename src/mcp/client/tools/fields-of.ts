/** A copy of some fields of what a server sent, without those that it left out. */
export function fieldsOf(
  source: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(source, name) && source[name] !== undefined)
      .map((name) => [name, source[name]]),
  );
}
