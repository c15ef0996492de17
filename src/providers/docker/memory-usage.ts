/** What an engine counts, as far as it is read here. */
interface MemoryCounters {
  readonly usage?: number;
  readonly stats?: {
    /** Control groups, version 2. */
    readonly inactive_file?: number;
    /** Control groups, version 1. */
    readonly total_inactive_file?: number;
  };
}

/**
 * The bytes that a container uses, as `docker stats` shows them: without files that the kernel keeps in
 * memory for as long as nobody needs it; undefined where the engine does not count.
 */
export function memoryInUse(counters: MemoryCounters | undefined): number | undefined {
  const { usage, stats = {} } = counters ?? {};
  if (usage === undefined) return undefined;
  const cached = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  return cached < usage ? usage - cached : usage;
}
