/** Whether objects and lists lie in one another more than so many levels deep. Needs no stack, however deep they are. */
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
