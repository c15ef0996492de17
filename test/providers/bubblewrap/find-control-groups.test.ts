import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  groupName,
  HOST_GROUP,
  SANDBOXES_GROUP,
} from '../../../src/providers/bubblewrap/control-groups/names.ts';
import { ControlGroups } from '../../../src/providers/bubblewrap/control-groups/control-groups.ts';
import { findControlGroups } from '../../../src/providers/bubblewrap/control-groups/find.ts';

/**
 * A directory that stands for the file system of control groups of version 2, and takes whatever is written:
 * machines that have version 1 have no other with controllers.
 */
async function standIn(
  path: string,
  controllers: string,
): Promise<{ mount: string; group: string }> {
  const mount = await mkdtemp(join(tmpdir(), 'control-groups-'));
  onTestFinished(async () => rm(mount, { recursive: true }));
  const group = join(mount, path);
  await mkdir(group, { recursive: true });
  await writeFile(join(mount, 'cgroup'), `0::${path}\n`);
  await writeFile(join(group, 'cgroup.controllers'), `${controllers}\n`);
  await writeFile(join(group, 'cgroup.procs'), '');
  await writeFile(join(group, 'cgroup.subtree_control'), '');
  return { mount, group };
}

test('in a container of its own, a process makes groups below its own', async () => {
  const { mount, group } = await standIn('/', 'cpuset cpu io memory pids');
  const groups = await findControlGroups(mount, mount);
  expect(groups).toMatchObject({ version: 2, controllers: ['memory', 'pids', 'cpu'] });
  expect(await readFile(join(group, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu');
});

test('on a busy machine the host is served before its sandboxes', async () => {
  const { mount, group } = await standIn('/', 'cpu memory pids');
  // It has moved there before: the kernel would list it as one of this group's processes.
  await mkdir(join(group, HOST_GROUP));
  await writeFile(join(group, HOST_GROUP, 'cpu.weight'), '100');
  await findControlGroups(mount, mount);
  expect(await readFile(join(group, HOST_GROUP, 'cpu.weight'), 'utf8')).toBe('10000');
});

test('with version 1 all sandboxes share one group for processors, which is there while they are', async () => {
  const mount = await mkdtemp(join(tmpdir(), 'control-groups-'));
  onTestFinished(async () => rm(mount, { recursive: true }));
  await Promise.all(
    ['memory', 'pids', 'cpu'].map(async (name) =>
      mkdir(join(mount, name, 'own'), { recursive: true }),
    ),
  );
  await writeFile(join(mount, 'cgroup'), '3:memory:/own\n2:pids:/own\n1:cpu:/own\n');
  const groups = await findControlGroups(mount, mount);
  if ('absence' in groups) throw new Error(groups.absence);
  const [first, second] = await Promise.all([groups.make(), groups.make()]);
  const names = await readdir(join(mount, 'memory/own'));
  expect(names).toHaveLength(2);
  expect(await readdir(join(mount, 'cpu/own', SANDBOXES_GROUP))).toEqual(names);
  await first.remove();
  expect(await readdir(join(mount, 'cpu/own', SANDBOXES_GROUP))).toHaveLength(1);
  await second.remove();
  expect(await readdir(join(mount, 'cpu/own'))).toEqual([]);
});

test('processor time is not limited if its controller was not delegated [compared/processor, host/undelegated]', async () => {
  const { mount } = await standIn('/', 'memory pids');
  expect(await findControlGroups(mount, mount)).toMatchObject({ controllers: ['memory', 'pids'] });
});

test.each([
  ['/', 'cpu pids', '/ was delegated without the memory controller'],
  [
    '/system.slice/sandboxed-ptc-test-of-none.service',
    'cpu memory pids',
    'the group of this process, /system.slice/sandboxed-ptc-test-of-none.service, is not delegated to it',
  ],
])('in %s with %s there are none, and it is told why', async (path, controllers, absence) => {
  const { mount, group } = await standIn(path, controllers);
  expect(await findControlGroups(mount, mount)).toEqual({
    absence: expect.stringContaining(absence),
  });
  expect(await readFile(join(group, 'cgroup.subtree_control'), 'utf8')).toBe('');
});

test('a machine without control groups is reported as such', async () => {
  const { mount } = await standIn('/', '');
  await rm(join(mount, 'cgroup'));
  expect(await findControlGroups(mount, mount)).toEqual({
    absence: expect.stringContaining('ENOENT'),
  });
});

test('groups of dead processes are removed, and no others', async () => {
  const { mount } = await standIn('/', 'memory');
  const namespace = await ownNameSpace(mount);
  const dead = groupName({ namespace, processId: process.pid, startTime: '1' }, 'aa');
  const elsewhere = groupName({ namespace: '1', processId: process.pid, startTime: '1' }, 'bb');
  await mkdir(join(mount, dead));
  await mkdir(join(mount, elsewhere));
  await mkdir(join(mount, 'sandboxed-ptc-host'));
  const groups = new ControlGroups([{ version: 2, directory: mount, controllers: ['memory'] }]);
  const own = await groups.make();
  await groups.removeLeftovers();
  const left = await readdir(mount);
  expect(left).not.toContain(dead);
  expect(left).toEqual(expect.arrayContaining([elsewhere, 'sandboxed-ptc-host']));
  expect(left.filter((name) => name.startsWith(`sandboxed-ptc-${namespace}-`))).toHaveLength(1);
  await own.remove();
});

test('what runs in the groups of dead processes is killed, and nothing else', async () => {
  const { mount } = await standIn('/', 'memory');
  const namespace = await ownNameSpace(mount);
  const dead = groupName({ namespace, processId: process.pid, startTime: '1' }, 'aa');
  const groups = new ControlGroups([{ version: 2, directory: mount, controllers: ['memory'] }]);
  const own = await groups.make();
  const [entryFile = ''] = own.entryFiles();
  const [left, used] = [spawn('sleep', ['1000']), spawn('sleep', ['1000'])];
  onTestFinished(() => [left, used].forEach((child) => child.kill()));
  await mkdir(join(mount, dead));
  // The kernel lists a process of another namespace as 0.
  await writeFile(join(mount, dead, 'cgroup.procs'), `0\n${left.pid}\n`);
  await writeFile(entryFile, `${used.pid}\n`);
  const ended = once(left, 'exit');
  await groups.removeLeftovers();
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(used.signalCode).toBeNull();
});

test.each([
  [2, 'memory.current', 'inactive_file 30\n'],
  [1, 'memory.usage_in_bytes', 'inactive_file 7\ntotal_inactive_file 30\n'],
] as const)(
  'the memory of a group of version %i has no contents of files that the kernel can drop',
  async (version, file, counters) => {
    const { mount } = await standIn('/', 'memory');
    const groups = new ControlGroups([{ version, directory: mount, controllers: ['memory'] }]);
    const group = await groups.make();
    const [directory = ''] = group.entryFiles().map((entry) => dirname(entry));
    await writeFile(join(directory, file), '100\n');
    await writeFile(join(directory, 'memory.stat'), `anon 60\n${counters}`);
    expect(group.memoryUsage()).toBe(70);
    await rm(directory, { recursive: true });
    expect(group.memoryUsage()).toBeUndefined();
  },
);

/** As the name of a group has it. */
async function ownNameSpace(mount: string): Promise<string> {
  const groups = new ControlGroups([{ version: 2, directory: mount, controllers: ['memory'] }]);
  const group = await groups.make();
  const name = (await readdir(mount)).find((each) => /^sandboxed-ptc-\d/.test(each)) ?? '';
  await group.remove();
  return name.split('-')[2] ?? '';
}
