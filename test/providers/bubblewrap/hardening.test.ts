import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  startBwrap,
  startLauncher,
} from '../../../src/providers/bubblewrap/start/bwrap-process.ts';
import { LAUNCHER } from '../../../src/providers/bubblewrap/start/launcher-script.ts';
import { readMachine } from '../../../src/providers/bubblewrap/check/machine.ts';
import { Spawner } from '../../../src/providers/bubblewrap/start/spawner.ts';
import { assemble } from '../../../src/sandbox/seccomp/bpf.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import { seccompProgram } from '../../../src/sandbox/seccomp/seccomp-program.ts';
import {
  describeWithBubblewrap,
  describeWithControlGroups,
  openProvider,
  openWatchedSandbox,
  processesOf,
} from '../../support/bubblewrap.ts';

/** What a program of bash alone prints under the command of a sandbox. */
async function printInside(script: string): Promise<string> {
  const spawner = new Spawner(LAUNCHER);
  const sandbox = {
    machine: await readMachine('0.8.0'),
    filter: assemble(seccompProgram(process.arch, [])),
    bounded: true,
    command: ['bash', '-c', script],
    files: [],
  };
  const launcher = await startLauncher(spawner, { limits: DEFAULT_LIMITS, sandbox }, 20_001);
  const bwrap = startBwrap(launcher, Buffer.alloc(0));
  onTestFinished(async () => {
    await bwrap.end();
    await spawner.close();
  });
  let printed = '';
  bwrap.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  bwrap.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await bwrap.ended;
  return printed;
}

describeWithBubblewrap('a bubblewrap sandbox', () => {
  test('is a process of no system user outside either [case 15, bubblewrap/user, host/ordinary-user]', async () => {
    const client = await openProvider();
    const processes = processesOf(client);
    expect(processes.length).toBeGreaterThan(0);
    for (const id of processes) {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      const users = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)$/m.exec(status)?.slice(1);
      expect(users).toHaveLength(4);
      const host = String(process.getuid?.());
      for (const user of users ?? []) {
        if (host === '0') expect(Number(user)).toBeGreaterThanOrEqual(20_000);
        else expect(user).toBe(host);
      }
      if (host === '0') expect(status).toMatch(/^Groups:\s*$/m);
    }
  });

  test('gets only its three descriptors, whatever its host has open [case 16, bubblewrap/environment, bubblewrap/spawner-reach]', async () => {
    // Open in this process, and made to stay open in its children.
    const child = spawn(
      'bash',
      [
        '-c',
        `exec 77</etc/passwd; exec "$0" --import "$1" "$2"`,
        process.execPath,
        ...hostScript(),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    // The supervisor looks for the children of itself and of its guest.
    const children = [
      '/proc/1/task',
      '/proc/1/task/1/children',
      '/proc/2/task',
      '/proc/2/task/2/children',
    ];
    expect(JSON.parse(printed)).toEqual(['/dev/null', ...children, 'pipe']);
  });

  test('starts under its filter, and nothing runs before it [case 17, every/read-files, bubblewrap/system-calls, host/usr, bubblewrap/hidden-files]', async () => {
    const printed = await printInside(
      'cat /proc/self/status; ls -A / /tmp /etc /usr /usr/local; ls /dev',
    );
    expect(printed).toMatch(/^Seccomp:\s+2$/m);
    expect(printed).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(printed).toMatch(/^CapBnd:\s+0+$/m);
    expect(printed).not.toMatch(/^(?:root|home|var|opt|srv|mnt|src|passwd|shadow|sys|pts)$/m);
  });

  test('cannot make a user namespace, by any tool of the machine [case 18, bubblewrap/namespaces]', async () => {
    const printed = await printInside(
      'unshare --user true; echo "ended with $?"; mount -t proc proc /tmp',
    );
    expect(printed).toMatch(/unshare failed: Operation not permitted/);
    expect(printed).toContain('ended with 1');
    expect(printed).toMatch(/mount: .*(?:permission denied|must be superuser)/i);
  });

  test('can write to /tmp up to its size and number of entries, and start nothing there [bubblewrap/storage]', async () => {
    const printed = await printInside(`
      head -c 9000000 /dev/zero > /tmp/one; head -c 9000000 /dev/zero > /tmp/two; rm /tmp/*
      for ((n = 0; n < 5000; n++)); do : > /tmp/$n || break; done 2>&1 | tail -1; rm -r /tmp/*
      cp /bin/true /tmp/true; /tmp/true`);
    expect(printed).toMatch(/error writing.*No space left on device/);
    expect(printed).toMatch(/\/tmp\/40\d\d: No space left on device/);
    expect(printed).toMatch(/\/tmp\/true: Permission denied/);
  });
});

const WALLS = [
  ...['user', 'capabilities', 'new privileges', 'system calls', 'namespaces'],
  ...['root file system', 'temporary files', 'process limits', 'processes', 'out-of-memory score'],
];

describeWithBubblewrap('a bubblewrap sandbox without a control group', () => {
  test('reports its protections from the kernel, and why there are no control groups [host/doctor-groups]', async () => {
    const client = await openWatchedSandbox();
    const report = await client.sandbox.security?.();
    expect(report?.protections.filter(({ holds }) => !holds)).toEqual([]);
    expect(report?.protections.map(({ name }) => name)).toEqual([
      ...WALLS,
      ...['memory', 'swap', 'processors'],
    ]);
    expect(report?.notes.join(' ')).toMatch(
      /No control groups: the test wants none\..*not counted by a control group.*No limit on processor/,
    );
  });
});

describeWithControlGroups('a bubblewrap sandbox with a control group', () => {
  test('reports its protections from the kernel [bubblewrap/group-limits]', async () => {
    const client = await openProvider();
    const report = await client.sandbox.security?.();
    expect(report?.protections.filter(({ holds }) => !holds)).toEqual([]);
    expect(report?.protections.map(({ name }) => name)).toEqual([
      ...WALLS,
      ...['memory', 'swap', 'processes', 'processors', 'processors'],
    ]);
    expect(report?.notes.join(' ')).not.toContain('control group');
  });

  test('sees of it no more than that it is there', async () => {
    const client = await openProvider();
    const { output } = await client.run(
      'import os\nprint(open("/proc/self/cgroup").read(), os.path.exists("/sys"))',
    );
    expect(output).not.toContain('sandboxed-ptc');
    const paths = Array.from(output.matchAll(/^\d+:[^:]*:(.*)$/gm), ([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(['/']));
    expect(output).toMatch(/False\n$/);
  });

  test('has its share of processors and no more [every/limits, compared/processor, bubblewrap/group-limits]', async () => {
    const client = await openProvider({ cpus: 0.2 });
    const { output } = await client.run(`
import os, time
begin = time.time()
for _ in range(2):
    if os.fork() == 0:
        while time.time() - begin < 2: pass
        os._exit(0)
for _ in range(2): os.wait()
spent = os.times()
print((spent.children_user + spent.children_system) / (time.time() - begin))`);
    expect(Number(output)).toBeGreaterThan(0);
    expect(Number(output)).toBeLessThan(0.3);
  });
});

function hostScript(): string[] {
  return [
    new URL('../../support/typescript-loader.mjs', import.meta.url).href,
    new URL('./list-descriptors.ts', import.meta.url).pathname,
  ];
}
