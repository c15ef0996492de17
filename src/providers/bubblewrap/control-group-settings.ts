import type { ResourceLimits } from '../../sandbox/sandbox.ts';

/** What bounds processes together. Without `memory` none is of use. */
export const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** A place for the groups of sandboxes: of version 2 one for all controllers, of version 1 one for each. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Below which the groups are made. It need not be there while there are none. */
  readonly directory: string;
  readonly controllers: readonly Controller[];
}

/** What is written to a file of a group. */
export interface Setting {
  /** What it bounds. */
  readonly name: 'memory' | 'swap' | 'processes' | 'processors';
  readonly file: string;
  readonly value: string;
  /** Whether there are kernels without it that bound the same otherwise. */
  readonly optional?: true;
}

/** The time in which a group has its share of processors, in microseconds: the kernel's own default. */
const PERIOD_US = 100_000;
/** The kernel takes no less. */
const LEAST_QUOTA_US = 1000;
/** The process outside of the sandbox's name spaces that waits for its end. */
const LAUNCHERS = 1;

/**
 * What bounds a group to the limits, in the order in which it is to be written. Where memory is short the kernel
 * ends the largest process and not all: the supervisor lives on to tell.
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
            // Not there where the kernel counts no swap.
            { name: 'swap', file: 'memory.swap.max', value: '0', optional: true },
          ]
        : [
            { name: 'memory', file: 'memory.limit_in_bytes', value: memory },
            { name: 'swap', file: 'memory.memsw.limit_in_bytes', value: memory, optional: true },
          ],
    pids: [{ name: 'processes', file: 'pids.max', value: String(processes + LAUNCHERS) }],
    cpu:
      version === 2
        ? [{ name: 'processors', file: 'cpu.max', value: `${quota} ${PERIOD_US}` }]
        : [{ name: 'processors', file: 'cpu.cfs_quota_us', value: String(quota) }],
  };
  return controllers.flatMap((controller) => all[controller]);
}

/**
 * Where a process writes `0` to enter a group. That of version 1 takes a single thread, which a shell is, and no
 * lock that all processes of the machine have to agree on.
 */
export function entranceOf({ version }: Hierarchy): string {
  return version === 2 ? 'cgroup.procs' : 'tasks';
}

/** Where the kernel counts the processes that it ended for want of memory, as `oom_kill`. */
export function memoryCounterOf({ version }: Hierarchy): string {
  return version === 2 ? 'memory.events' : 'memory.oom_control';
}
