/** For how many tools the calls are counted separately. */
const COUNTED_TOOLS = 20;

/** Numbers of calls by outcome. */
export type Counts = Readonly<Record<'done' | 'failed' | 'open', number>>;

export const NONE: Counts = { done: 0, failed: 0, open: 0 };

/** Adds to the numbers of a tool. */
export function count(counts: Map<string, Counts>, tool: string, more: Counts): void {
  const { done, failed, open } = counts.get(tool) ?? NONE;
  counts.set(tool, {
    done: done + more.done,
    failed: failed + more.failed,
    open: open + more.open,
  });
}

/** The counts of the first tools, and the sum of all others. */
export function byTool(
  counts: ReadonlyMap<string, Counts>,
): readonly (readonly [string, Counts])[] {
  const merged = new Map<string, Counts>();
  for (const [tool, more] of counts) {
    count(merged, merged.has(tool) || merged.size < COUNTED_TOOLS ? tool : 'other tools', more);
  }
  return [...merged];
}
