import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

const SETTLED_WITHIN_MS = 10_000;

/** What a run could leave in the host's process. */
export interface HostResources {
  /** How many descriptors are open; undefined where the system does not say. */
  readonly descriptors: number | undefined;
  /** How many of each kind keep the process going: timers, sockets, pipes, children. */
  readonly active: Readonly<Record<string, number>>;
}

/** What this process has open now. */
export async function readHostResources(): Promise<HostResources> {
  const names = await readdir('/proc/self/fd').catch(() => undefined);
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  return { descriptors: names?.length, active };
}

/** What there is now and was not before; empty where nothing is. */
export function grown(before: HostResources, now: HostResources): string[] {
  const changes: string[] = [];
  if (now.descriptors !== undefined && now.descriptors > (before.descriptors ?? Infinity)) {
    changes.push(`descriptors: ${now.descriptors}, not ${before.descriptors}`);
  }
  for (const [kind, count] of Object.entries(now.active)) {
    const allowed = before.active[kind] ?? 0;
    if (count > allowed) changes.push(`${kind}: ${count}, not ${allowed}`);
  }
  return changes;
}

/** Waits until nothing is left over. Removals are the engine's, and come as events to nobody here. */
export async function untilNothingIsLeft(findRemains: () => Promise<string[]>): Promise<void> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const remains = await findRemains();
    if (remains.length === 0) return;
    if (performance.now() > deadline) expect(remains, 'left over').toEqual([]);
    await delay(20);
  }
}
