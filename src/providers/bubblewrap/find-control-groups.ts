import { execFile } from 'node:child_process';
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../shared/errors.ts';
import { PROGRAM_PATH } from './bwrap-arguments.ts';
import {
  delegationOf,
  type Delegation,
  HOST_GROUP,
  parseOwnGroups,
  SANDBOXES_GROUP,
} from './control-group-names.ts';
import { type Controller, CONTROLLERS, type Hierarchy } from './control-group-settings.ts';
import { ControlGroups } from './control-groups.ts';

/** Why there are no control groups for sandboxes: a clause. */
export interface NoControlGroups {
  readonly absence: string;
}

const TIMEOUT_MS = 5000;
/** The most that the kernel takes: a hundred sandboxes at work get as much of the processors as their host. */
const HOST_WEIGHT = '10000';
/** How many times the processes of a group are moved while they start others. */
const MOST_MOVES = 10;

/**
 * Finds where this process may make control groups. In a unit of systemd that is delegated, its processes move to
 * a group below it, as the kernel wants it. Never throws.
 * @param mount - Where the file system of control groups is.
 * @param self - Where the kernel tells of this process.
 */
export async function findControlGroups(
  mount = '/sys/fs/cgroup',
  self = '/proc/self',
): Promise<ControlGroups | NoControlGroups> {
  try {
    const own = parseOwnGroups(await readFile(join(self, 'cgroup'), 'utf8'));
    const found = own.has('memory')
      ? await findVersion1(mount, own)
      : await findVersion2(mount, own.get(''));
    return 'absence' in found ? found : new ControlGroups(found);
  } catch (error) {
    return { absence: `they cannot be set: ${messageOf(error)}` };
  }
}

/** Each controller has a hierarchy of its own; groups with processes can have others below them. */
async function findVersion1(
  mount: string,
  own: ReadonlyMap<string, string>,
): Promise<readonly Hierarchy[] | NoControlGroups> {
  const hierarchies: Hierarchy[] = [];
  for (const controller of CONTROLLERS) {
    const directory = join(mount, controller, own.get(controller) ?? '');
    if (own.has(controller) && (await isWritable(directory))) {
      // Else each sandbox would get as much of a busy machine as the host, which serves them all.
      const below = controller === 'cpu' ? SANDBOXES_GROUP : '';
      hierarchies.push({
        version: 1,
        directory: join(directory, below),
        controllers: [controller],
      });
    }
  }
  if (hierarchies[0]?.controllers[0] === 'memory') return hierarchies;
  return { absence: 'those of version 1 are root’s' };
}

async function findVersion2(
  mount: string,
  path: string | undefined,
): Promise<readonly Hierarchy[] | NoControlGroups> {
  if (path === undefined) return { absence: 'the kernel has none' };
  const delegation = delegationOf(path);
  const directory = join(mount, delegation.path);
  const files = ['', 'cgroup.procs', 'cgroup.subtree_control'].map((file) => join(directory, file));
  const writable = (await Promise.all(files.map(isWritable))).every(Boolean);
  if (!writable || !(await isDelegated(delegation))) {
    return { absence: `the group of this process, ${delegation.path}, is not delegated to it` };
  }
  const offered = words(await readFile(join(directory, 'cgroup.controllers'), 'utf8'));
  const controllers = CONTROLLERS.filter((controller) => offered.includes(controller));
  if (!controllers.includes('memory')) {
    return { absence: `${delegation.path} was delegated without the controller of memory` };
  }
  await handDown(directory, controllers);
  // As many sandboxes as there are would each get as much of a busy machine as the host, which serves them all.
  await writeTo(join(directory, HOST_GROUP, 'cpu.weight'), HOST_WEIGHT).catch(() => {});
  return [{ version: 2, directory, controllers }];
}

/** Whether systemd leaves a unit to its processes: what root may write, and what a user's own manager made, may be its. */
async function isDelegated({ unit }: Delegation): Promise<boolean> {
  if (unit === undefined) return true;
  const manager = unit.ofUser ? ['--user'] : [];
  const { XDG_RUNTIME_DIR: directory = `/run/user/${process.getuid?.()}` } = process.env;
  const options = {
    env: { PATH: PROGRAM_PATH, XDG_RUNTIME_DIR: directory },
    timeout: TIMEOUT_MS,
  };
  const { stdout } = await promisify(execFile)(
    'systemctl',
    [...manager, 'show', '--property=Delegate', '--value', '--', unit.name],
    options,
  ).catch(() => ({ stdout: '' }));
  return stdout.trim() === 'yes';
}

/** Has the controllers bound the groups below. That is refused where the group has processes itself. */
async function handDown(directory: string, controllers: readonly Controller[]): Promise<void> {
  const control = join(directory, 'cgroup.subtree_control');
  const wanted = controllers.map((controller) => `+${controller}`).join(' ');
  for (let move = 0; ; move += 1) {
    try {
      return await writeTo(control, wanted);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY';
      if (!isBusy || move === MOST_MOVES) throw error;
    }
    await moveProcesses(directory, join(directory, HOST_GROUP));
  }
}

async function moveProcesses(from: string, to: string): Promise<void> {
  await mkdir(to).catch(() => {});
  for (const id of words(await readFile(join(from, 'cgroup.procs'), 'utf8'))) {
    // One that ended meanwhile cannot be moved.
    await writeTo(join(to, 'cgroup.procs'), id).catch(() => {});
  }
}

async function writeTo(path: string, value: string): Promise<void> {
  await writeFile(path, value, { flag: 'r+' });
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
