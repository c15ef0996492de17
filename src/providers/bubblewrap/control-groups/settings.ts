import type { ResourceLimits } from '../../../sandbox/sandbox.ts';

/**
 * The controllers of control groups that are used. Without `memory`, no control groups are used.
 */
export const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/**
 * A directory for the groups of sandboxes: one for all controllers in version 2, one for each
 * controller in version 1.
 */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** The directory in which groups are created. It may not exist while there are none. */
  readonly directory: string;
  readonly controllers: readonly Controller[];
}

/** A value for a file of a group. */
export interface Setting {
  /** The resource that it limits. */
  readonly name: 'memory' | 'swap' | 'processes' | 'processors';
  readonly file: string;
  readonly value: string;
  /** True if a kernel without this file limits the resource as well, or allows less of it. */
  readonly optional?: true;
}

/** The period of the processor quota, in microseconds: the kernel's default. */
const PERIOD_US = 100_000;
/** The kernel accepts no smaller quota. */
const LEAST_QUOTA_US = 1000;
/** The process outside of the sandbox's namespaces that waits for its end. */
const LAUNCHERS = 1;

/**
 * The settings that limit a group, in the order in which they must be written. If memory runs out,
 * the kernel ends the largest process and not the whole group, so the supervisor survives and
 * reports it.
 */
export function settingsOf(
  { version, controllers }: Hierarchy,
  { memoryBytes, processes, cpus }: ResourceLimits,
): readonly Setting[] {
  const quota = Math.max(LEAST_QUOTA_US, Math.round(cpus * PERIOD_US));
  const memory = String(memoryBytes);
  const all: Record<Controller, readonly Setting[]> = {
    memory:
      version === 2
        ? [
            { name: 'memory', file: 'memory.max', value: memory },
            // Missing if the kernel does not count swap.
            { name: 'swap', file: 'memory.swap.max', value: '0', optional: true },
          ]
        : [
            { name: 'memory', file: 'memory.limit_in_bytes', value: memory },
            { name: 'swap', file: 'memory.memsw.limit_in_bytes', value: memory, optional: true },
          ],
    pids: [{ name: 'processes', file: 'pids.max', value: String(processes + LAUNCHERS) }],
    cpu: [
      version === 2
        ? { name: 'processors', file: 'cpu.max', value: `${quota} ${PERIOD_US}` }
        : { name: 'processors', file: 'cpu.cfs_quota_us', value: String(quota) },
      // A group that has used up its quota stands still until the next period. Sandboxes start and programs run in a
      // few moments, with long pauses between, so a group may keep a quota that it has not used. The kernel accepts no
      // more than one.
      {
        name: 'processors',
        file: version === 2 ? 'cpu.max.burst' : 'cpu.cfs_burst_us',
        value: String(quota),
        optional: true,
      },
    ],
  };
  return controllers.flatMap((controller) => all[controller]);
}

/**
 * The file to which a process writes `0` to enter a group. In version 1 it is `tasks`, which moves
 * a single thread (a shell has only one) and avoids a lock for which all processes of the machine
 * must be waited for.
 */
export function entryFileOf({ version }: Hierarchy): string {
  return version === 2 ? 'cgroup.procs' : 'tasks';
}

/**
 * The file in which the kernel counts the processes that it killed because memory ran out, as
 * `oom_kill`.
 */
export function memoryCounterOf({ version }: Hierarchy): string {
  return version === 2 ? 'memory.events' : 'memory.oom_control';
}

/**
 * The file with the memory that a group uses, and the name, in its `memory.stat`, of the contents of
 * files that nobody has used for some time. The kernel drops these when it needs memory, so engines
 * do not count them either.
 */
export function memoryUsageOf({ version }: Hierarchy): { file: string; droppable: string } {
  return version === 2
    ? { file: 'memory.current', droppable: 'inactive_file' }
    : { file: 'memory.usage_in_bytes', droppable: 'total_inactive_file' };
}
