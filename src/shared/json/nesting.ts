/**
 * Whether a value is nested more than `levels` levels deep. Uses no recursion, so any depth is
 * safe.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level: object[] = containersIn([value]);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    level = level.flatMap((container) => containersIn(Object.values(container)));
  }
  return false;
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((one): one is object => typeof one === 'object' && one !== null);
}
