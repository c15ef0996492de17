import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, onTestFinished } from 'vitest';
import {
  BubblewrapProvider,
  bubblewrapProvider,
} from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { ownerOfGroup } from '../../src/providers/bubblewrap/control-groups/names.ts';
import { readProcesses } from '../../src/providers/bubblewrap/processes.ts';
import {
  DEFAULT_LIMITS,
  type ResourceLimits,
  type Sandbox,
  type SandboxProvider,
} from '../../src/sandbox/sandbox.ts';
import { SandboxClient, specOf } from '../providers/docker/support.ts';
import { skippedFor } from './skipped.ts';

const availability = await bubblewrapProvider().probe();
const missing = availability.usable ? '' : `${availability.reason}. ${availability.remedy}\n`;

/** Whether bubblewrap works here. */
export const hasBubblewrap: boolean = availability.usable;

/** Whether bubblewrap works here and its sandboxes have control groups. */
export const hasControlGroups: boolean = availability.usable && availability.boundsMemory === true;

/**
 * Tests that need bubblewrap. Without it they fail if `CI` is set; otherwise they are skipped.
 */
export function describeWithBubblewrap(title: string, tests: () => void): void {
  const skipped = missing !== '' && !process.env['CI'];
  describe(
    title,
    skippedFor(skipped ? `bubblewrap does not work here: ${missing}` : undefined),
    () => {
      beforeAll(() => {
        if (missing !== '') throw new Error(`bubblewrap does not work here: ${missing}`);
      });
      tests();
    },
  );
}

/** Tests that also need control groups. They are skipped if there are none. */
export function describeWithControlGroups(title: string, tests: () => void): void {
  if (!availability.usable) return describeWithBubblewrap(title, tests);
  const reason = hasControlGroups ? undefined : `no control groups: ${availability.description}`;
  describe(title, skippedFor(reason), () => {
    tests();
  });
}

/** One whose sandboxes have no control groups, wherever that is. */
export function watchedProvider(): SandboxProvider {
  return new BubblewrapProvider(async () => ({ absence: 'the test wants none' }));
}

/** Starts a sandbox for one test. */
export async function openProvider(limits?: Partial<ResourceLimits>): Promise<SandboxClient> {
  return openWith(bubblewrapProvider(), limits);
}

/** Starts a sandbox without a control group for one test, wherever that is. */
export async function openWatchedSandbox(limits?: Partial<ResourceLimits>): Promise<SandboxClient> {
  return openWith(watchedProvider(), limits);
}

async function openWith(
  provider: SandboxProvider,
  limits: Partial<ResourceLimits> = {},
): Promise<SandboxClient> {
  onTestFinished(async () => provider.close());
  const spec = { ...specOf('bubblewrap'), limits: { ...DEFAULT_LIMITS, ...limits } };
  return readyClient(await provider.create(spec));
}

async function readyClient(sandbox: Sandbox): Promise<SandboxClient> {
  const client = new SandboxClient(sandbox);
  onTestFinished(async () => client.sandbox.close());
  const ready = await client.next();
  if (ready.kind !== 'ready') throw new Error(`The first message is ${ready.kind}.`);
  return client;
}

/** The ids outside of the processes of a sandbox, process 1 first. */
export function processesOf({ sandbox }: SandboxClient): number[] {
  const { supervisor, others } = readProcesses(Number(sandbox.id));
  return [supervisor, ...others].flatMap((process) => (process ? [process.id] : []));
}

/** The control groups that a process made for sandboxes and that are still there. */
export function groupsOf(processId: number | undefined): string[] {
  return groupsIn('/sys/fs/cgroup').filter(
    (path) => ownerOfGroup(basename(path))?.processId === processId,
  );
}

/** Those of others, such as of containers, may go while they are looked at. */
function groupsIn(path: string): string[] {
  let entries: Dirent[] = [];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const groups = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  return groups.flatMap((group) => [group, ...groupsIn(group)]);
}

/** Of these processes, those that are there, ended ones that nobody asked about not counted. */
export function living(ids: readonly number[]): number[] {
  return ids.filter((id) => {
    try {
      return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
    } catch {
      return false;
    }
  });
}
