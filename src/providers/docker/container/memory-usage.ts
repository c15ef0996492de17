/** The counters of an engine, as far as they are used here. */
interface MemoryCounters {
  readonly usage?: number;
  readonly stats?: {
    /** In control groups of version 2. */
    readonly inactive_file?: number;
    /** In control groups of version 1. */
    readonly total_inactive_file?: number;
  };
}

/**
 * Returns the bytes that a container uses, as `docker stats` shows them: without the cache of
 * files, which the kernel frees when it needs memory. Undefined if the engine does not count them.
 */
export function memoryInUse(counters: MemoryCounters | undefined): number | undefined {
  const { usage, stats = {} } = counters ?? {};
  if (usage === undefined) return undefined;
  const cached = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  return cached < usage ? usage - cached : usage;
}
