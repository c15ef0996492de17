import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt } from '../../../shared/attempt.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { groupName, type GroupOwner, ownerOfGroup, SANDBOXES_GROUP, startTimeOf } from './names.ts';
import {
  type Controller,
  entryFileOf,
  type Hierarchy,
  memoryCounterOf,
  memoryUsageOf,
  type Setting,
  settingsOf,
} from './settings.ts';

/** What a counter is read into: a few short lines. */
const COUNTERS = Buffer.alloc(4096);

/** Delays between the attempts to remove a group whose last process is about to end. */
const REMOVAL_DELAYS_MS = [0, 2, 5, 10, 20, 50, 100, 200, 500];

/** Creates the groups of this process's sandboxes, and removes groups that dead processes left. */
export class ControlGroups {
  readonly #hierarchies: readonly Hierarchy[];

  constructor(hierarchies: readonly Hierarchy[]) {
    this.#hierarchies = hierarchies;
  }

  get version(): 1 | 2 {
    return this.#hierarchies[0]?.version ?? 2;
  }

  get controllers(): readonly Controller[] {
    return this.#hierarchies.flatMap(({ controllers }) => controllers);
  }

  /** Creates a group without limits. @throws PtcError `SANDBOX_START_FAILED` */
  async make(): Promise<ControlGroup> {
    let group: ControlGroup | undefined;
    try {
      const name = groupName(await thisProcess(), randomBytes(6).toString('hex'));
      group = new ControlGroup(this.#hierarchies, name);
      await group.make();
      return group;
    } catch (cause) {
      await group?.remove();
      throw startFailed('created', cause);
    }
  }

  /** Removes the groups that ended processes left, and kills what runs in them. Never throws. */
  async removeLeftovers(): Promise<void> {
    const self = await thisProcess().catch(() => undefined);
    await Promise.all(
      this.#hierarchies.map(async ({ directory }) => {
        for (const name of await readdir(directory).catch(() => [])) {
          const owner = ownerOfGroup(name);
          if (owner === undefined || owner.namespace !== self?.namespace) continue;
          if (await isAlive(owner)) continue;
          const path = join(directory, name);
          await killProcesses(path);
          await removeDirectory(path);
        }
      }),
    );
  }
}

/** The control group of one sandbox: a directory in each hierarchy. */
export class ControlGroup {
  readonly #directories: readonly { readonly hierarchy: Hierarchy; readonly path: string }[];
  /** The file that counts what the kernel killed. It stays open, because to open it takes 25 times as long as to read it. */
  #counter: number | undefined;

  constructor(hierarchies: readonly Hierarchy[], name: string) {
    this.#directories = hierarchies.map((hierarchy) => ({
      hierarchy,
      path: join(hierarchy.directory, name),
    }));
  }

  /** @throws Error of the file system. */
  async make(): Promise<void> {
    for (const { path } of this.#directories) await mkdir(path, { recursive: true });
    const limited = this.#memoryDirectory();
    if (limited === undefined) return;
    const counter = join(limited.path, memoryCounterOf(limited.hierarchy));
    this.#counter = attempt(() => openSync(counter, 'r'));
  }

  /** The files to which a process writes `0` to move itself into the group. */
  entryFiles(): readonly string[] {
    return this.#directories.map(({ hierarchy, path }) => join(path, entryFileOf(hierarchy)));
  }

  /** Limits all processes of the group together. @throws PtcError `SANDBOX_START_FAILED` */
  async setLimits(limits: ResourceLimits): Promise<void> {
    for (const { hierarchy, path } of this.#directories) {
      for (const { file, value, optional } of settingsOf(hierarchy, limits)) {
        await writeFile(join(path, file), value, { flag: 'r+' }).catch((cause: unknown) => {
          if (!optional) throw startFailed('limited', cause);
        });
      }
    }
  }

  /** Reads the values that the kernel has for everything that `setLimits` wrote. */
  readSettings(limits: ResourceLimits): readonly AppliedSetting[] {
    return this.#directories.flatMap(({ hierarchy, path }) =>
      settingsOf(hierarchy, limits).map((setting) => ({
        ...setting,
        applied: read(join(path, setting.file)),
      })),
    );
  }

  /** How many processes of the group the kernel has killed because memory ran out. */
  memoryKills(): number {
    const counter = this.#counter;
    if (counter === undefined) return 0;
    const size = attempt(() => readSync(counter, COUNTERS, 0, COUNTERS.length, 0)) ?? 0;
    const counters = COUNTERS.toString('latin1', 0, size);
    return Number(/^oom_kill (\d+)$/m.exec(counters)?.[1] ?? 0);
  }

  /**
   * The memory that the group uses, in bytes: of its processes, of their files in `/tmp`, and of what
   * the kernel holds for them. Undefined if the group is gone.
   */
  memoryUsage(): number | undefined {
    const limited = this.#memoryDirectory();
    if (limited === undefined) return undefined;
    const { file, droppable } = memoryUsageOf(limited.hierarchy);
    const used = read(join(limited.path, file));
    if (used === undefined) return undefined;
    const counters = read(join(limited.path, 'memory.stat')) ?? '';
    const dropped = Number(new RegExp(`^${droppable} (\\d+)$`, 'm').exec(counters)?.[1] ?? 0);
    return Math.max(0, Number(used) - dropped);
  }

  /** Removes the group after its processes have ended. Never throws. */
  async remove(): Promise<void> {
    if (this.#counter !== undefined) closeSync(this.#counter);
    this.#counter = undefined;
    await Promise.all(this.#directories.map(async ({ path }) => removeDirectory(path)));
  }

  #memoryDirectory(): { readonly hierarchy: Hierarchy; readonly path: string } | undefined {
    return this.#directories.find(({ hierarchy }) => hierarchy.controllers.includes('memory'));
  }
}

/**
 * What was written to a file of a group, and the value that the kernel reports. Undefined if it
 * reports none.
 */
export interface AppliedSetting extends Setting {
  readonly applied: string | undefined;
}

function startFailed(what: string, cause: unknown): PtcError {
  const message = `A sandbox's control group cannot be ${what}: ${messageOf(cause)}`;
  return new PtcError('SANDBOX_START_FAILED', message, { cause });
}

/** If a host and its spawner are killed while a sandbox starts, a process of it can be left that waits forever. */
async function killProcesses(path: string): Promise<void> {
  const ids = await readFile(join(path, 'cgroup.procs'), 'latin1').catch(() => '');
  for (const id of ids.split('\n').map(Number)) {
    // Those of another namespace of process ids are listed as 0, which would mean this process and its group.
    if (id > 0) attempt(() => process.kill(id, 'SIGKILL'));
  }
}

async function removeDirectory(path: string): Promise<void> {
  for (const delayMs of REMOVAL_DELAYS_MS) {
    if (delayMs > 0) await delay(delayMs);
    try {
      await rmdir(path);
      // Fails if other groups are still in it.
      if (basename(dirname(path)) === SANDBOXES_GROUP) await rmdir(dirname(path)).catch(() => {});
      return;
    } catch (error) {
      // A group that is still used is removed when the next provider starts.
      if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) return;
    }
  }
}

async function thisProcess(): Promise<GroupOwner> {
  const [stat, link] = await Promise.all([
    readFile('/proc/self/stat', 'latin1'),
    readlink('/proc/self/ns/pid'),
  ]);
  return {
    namespace: link.replaceAll(/\D/g, ''),
    processId: process.pid,
    startTime: startTimeOf(stat) ?? '0',
  };
}

async function isAlive({ processId, startTime }: GroupOwner): Promise<boolean> {
  const stat = await readFile(`/proc/${processId}/stat`, 'latin1').catch(() => '');
  return startTimeOf(stat) === startTime;
}

function read(path: string): string | undefined {
  return attempt(() => readFileSync(path, 'latin1').trim());
}
