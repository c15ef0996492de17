import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

/** Longer than any wait of the code: a provider waits up to 15 s until a busy node has reported why a pod ended. */
const SETTLED_WITHIN_MS = 60_000;

/** What a run could leave in the host's process. */
export interface HostResources {
  /** What each open descriptor refers to, such as `socket:[4711]`; undefined if the system does not say. */
  readonly descriptors: readonly string[] | undefined;
  /** How many of each kind keep the process going: timers, sockets, pipes, children. */
  readonly active: Readonly<Record<string, number>>;
}

/** What this process has open now. */
export async function readHostResources(): Promise<HostResources> {
  const names = await readdir('/proc/self/fd').catch(() => undefined);
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const targets = names?.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => 'closed'));
  return { descriptors: targets && (await Promise.all(targets)), active };
}

/** What there is now and was not before; empty if there is nothing. */
export function grown(before: HostResources, now: HostResources): string[] {
  const changes: string[] = [];
  const { descriptors } = before;
  if (now.descriptors && descriptors && now.descriptors.length > descriptors.length) {
    const opened = now.descriptors.filter((target) => !descriptors.includes(target));
    changes.push(
      `descriptors: ${now.descriptors.length}, not ${descriptors.length}; opened: ${opened.join(', ')}`,
    );
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
