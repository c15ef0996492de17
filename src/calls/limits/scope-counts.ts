import { SizedMap } from '../../shared/sized-map.ts';

/** How many runs, and how many sessions, are known at a time. */
const MOST_SCOPES = 10_000;

/**
 * How often tools with a limit were called in each run, or in each session, of this process. Programs
 * and direct calls are handled in different places, which find the same counts by the id. Several
 * programs can have the id of a run, and nobody tells which is the last one. So the counts of those
 * that called least recently are dropped.
 */
export class ScopeCounts {
  readonly #scopes: SizedMap<string, Map<string, number>> = new SizedMap(MOST_SCOPES);

  get(scope: string, toolName: string): number {
    const tools = this.#scopes.get(scope);
    if (tools === undefined) return 0;
    // It calls now, also if the call is refused, so its counts are not the oldest.
    this.#scopes.set(scope, tools);
    return tools.get(toolName) ?? 0;
  }

  add(scope: string, toolName: string): void {
    const tools = this.#scopes.get(scope) ?? new Map<string, number>();
    tools.set(toolName, (tools.get(toolName) ?? 0) + 1);
    this.#scopes.set(scope, tools);
  }

  /** The counts of a session end with it. */
  forget(scope: string): void {
    this.#scopes.delete(scope);
  }
}

export const RUN_COUNTS: ScopeCounts = new ScopeCounts();
export const SESSION_COUNTS: ScopeCounts = new ScopeCounts();
