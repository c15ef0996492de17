import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../shared/errors.ts';
import { askProgram } from '../check/ask-program.ts';
import {
  delegationOf,
  type Delegation,
  HOST_GROUP,
  parseOwnGroups,
  SANDBOXES_GROUP,
} from './names.ts';
import { type Controller, CONTROLLERS, type Hierarchy } from './settings.ts';
import { ControlGroups } from './control-groups.ts';

/** Why sandboxes have no control groups: a clause. */
export interface NoControlGroups {
  readonly absence: string;
}

/**
 * The highest weight that the kernel accepts: the host gets as much processor time as a hundred
 * busy sandboxes.
 */
const HOST_WEIGHT = '10000';
/** How often to move the processes of a group, because they may start others meanwhile. */
const MOST_MOVES = 10;

/**
 * Finds the group in which this process can create control groups. In a delegated unit of systemd,
 * moves the processes of the unit into a group below it, because the kernel requires that. Never
 * throws.
 * @param mount - Mount point of the file system of control groups.
 * @param self - Directory with the kernel's facts about this process.
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
    return { absence: `they cannot be set up: ${messageOf(error)}` };
  }
}

/**
 * In version 1, each controller has its own hierarchy, and a group with processes can have groups
 * below it.
 */
async function findVersion1(
  mount: string,
  own: ReadonlyMap<string, string>,
): Promise<readonly Hierarchy[] | NoControlGroups> {
  const hierarchies: Hierarchy[] = [];
  for (const controller of CONTROLLERS) {
    const directory = join(mount, controller, own.get(controller) ?? '');
    if (own.has(controller) && (await isWritable(directory))) {
      // Without a common group, each sandbox would get as much of a busy machine as the host, which
      // serves them all.
      const below = controller === 'cpu' ? SANDBOXES_GROUP : '';
      hierarchies.push({
        version: 1,
        directory: join(directory, below),
        controllers: [controller],
      });
    }
  }
  if (hierarchies[0]?.controllers[0] === 'memory') return hierarchies;
  return { absence: 'only root can create those of version 1' };
}

async function findVersion2(
  mount: string,
  path: string | undefined,
): Promise<readonly Hierarchy[] | NoControlGroups> {
  if (path === undefined) return { absence: 'the kernel does not support them' };
  const delegation = delegationOf(path);
  const directory = join(mount, delegation.path);
  const files = ['', 'cgroup.procs', 'cgroup.subtree_control'].map((file) => join(directory, file));
  const absence = `the group of this process, ${delegation.path}, is not delegated to it`;
  const writable = (await Promise.all(files.map(isWritable))).every(Boolean);
  if (!writable) return { absence };
  try {
    if (!(await isDelegated(delegation))) return { absence };
  } catch (error) {
    return { absence: `${absence} as far as can be told: ${messageOf(error)}` };
  }
  const offered = words(await readFile(join(directory, 'cgroup.controllers'), 'utf8'));
  const controllers = CONTROLLERS.filter((controller) => offered.includes(controller));
  if (!controllers.includes('memory')) {
    return { absence: `${delegation.path} was delegated without the memory controller` };
  }
  await enableControllers(directory, controllers);
  // Otherwise each sandbox would get as much of a busy machine as the host, which serves them all.
  await writeTo(join(directory, HOST_GROUP, 'cpu.weight'), HOST_WEIGHT).catch(() => {});
  return [{ version: 2, directory, controllers }];
}

/**
 * Whether systemd lets the processes of a unit create groups. Write permission does not tell: root
 * can write anywhere, and a user in the groups of the user's own manager.
 * @throws Error if systemd does not say.
 */
async function isDelegated({ unit }: Delegation): Promise<boolean> {
  if (unit === undefined) return true;
  const manager = unit.ofUser ? ['--user'] : [];
  const { XDG_RUNTIME_DIR: directory = `/run/user/${process.getuid?.()}` } = process.env;
  const question = [...manager, 'show', '--property=Delegate', '--value', '--', unit.name];
  const answer = await askProgram('systemctl', question, { XDG_RUNTIME_DIR: directory });
  return answer.trim() === 'yes';
}

/**
 * Enables the controllers for the groups below. The kernel refuses that while the group itself has
 * processes.
 */
async function enableControllers(
  directory: string,
  controllers: readonly Controller[],
): Promise<void> {
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
    // Ignores processes that have ended.
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
