import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryBytes } from '../../../src/providers/bubblewrap/memory/kernel-objects.ts';
import {
  describeWithBubblewrap,
  describeWithControlGroups,
  openProvider,
  openWatchedSandbox,
  processesOf,
} from '../../support/bubblewrap.ts';
import type { SandboxClient } from '../docker/support.ts';

describeWithControlGroups('the memory of a bubblewrap sandbox with a control group', () => {
  testMemory(openProvider);

  test('is told with the files of the sandbox, which no process has', async () => {
    const client = await openProvider();
    const use = async (code: string): Promise<number> => {
      await client.run(code);
      return (await client.sandbox.memoryUsage?.()) ?? 0;
    };
    const before = await use('import os');
    const after = await use('open("/tmp/file", "wb").write(bytes(10_000_000))');
    expect(after - before).toBeGreaterThan(9_000_000);
    expect(after - (await use('os.remove("/tmp/file")'))).toBeGreaterThan(9_000_000);
  });
});

describeWithBubblewrap('the memory of a bubblewrap sandbox without a control group', () => {
  testMemory(openWatchedSandbox);

  test('is limited for mappings [case 38, watched/counted]', async () => {
    const client = await openWatchedSandbox({ memoryBytes: 64 * 2 ** 20 });
    // Each process has as many as the kernel allows, for which that takes 14 MB.
    const { output, outcome } = await client.run(`
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
start = libc.mmap(None, 65_000 * 4096, 0, 0x4022, -1, 0)
for index in range(1, 65_000, 2):
    libc.mprotect(start + index * 4096, 4096, 1)
for _ in range(8):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
print(os.WTERMSIG(os.wait()[1]))`);
    // The largest is ended: a child, or the interpreter.
    expect(outcome.interpreter_end?.reason ?? output).toMatch(/^(?:memory$|9\n)/);
  });

  test('is limited for files that epoll watches, which the kernel counts by user [case 38, watched/counted, bubblewrap/epoll]', async () => {
    const client = await openWatchedSandbox();
    // One file by many numbers is watched many times.
    const { output, outcome } = await client.run(`
import os, select, time
instances = [select.epoll() for _ in range(20)]
files = [os.pipe()[0] for _ in range(50)]
first = files[-1] + 2
for instance in instances:
    for file in files:
        for number in range(first, 250):
            os.dup2(file, number)
            instance.register(number, select.EPOLLIN)
time.sleep(60)`);
    expect(output).toBe('');
    expect(outcome.interpreter_end).toEqual({ reason: 'memory', status: 9 });
  });

  test('counts once what a child has from its parent until it starts a program [watched/vfork]', async () => {
    const client = await openWatchedSandbox();
    const { output } = await client.run(slowStart(client, 0.5));
    expect(output).toBe('0\n');
  });

  test('ends processes that seem to share too much memory for longer than a start takes [watched/vfork]', async () => {
    const client = await openWatchedSandbox();
    const { output, outcome } = await client.run(slowStart(client, 60));
    // Both are as large as each other: the child is ended, or the interpreter.
    expect(outcome.interpreter_end?.reason ?? output).toMatch(/^(?:memory$|9\n)/);
  });

  test('counts entries of /tmp that have no content [watched/counted]', async () => {
    const client = await openWatchedSandbox();
    const bytes = (): number => temporaryBytes(processesOf(client)[0] ?? 0);
    const before = bytes();
    await client.run('import os\nfor name in range(4000): os.symlink("target", f"/tmp/{name}")');
    expect(bytes() - before).toBeGreaterThanOrEqual(4000 * 1024);
  });

  test('does not depend on calls that make the kernel hold more than is counted [watched/uncountable, bubblewrap/sent-descriptors, bubblewrap/pipes]', async () => {
    const client = await openWatchedSandbox();
    const { output } = await client.run(`
import ctypes, errno, fcntl, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def attempt(action):
    try: return action() or "done"
    except OSError as error: return errno.errorcode[error.errno]
def option(name):
    return libc.prctl(name, 2, 0, 0, 0) == -1 and errno.errorcode[ctypes.get_errno()]
one, other = socket.socketpair()
source, into = os.pipe()
file = os.open("/usr/bin/env", os.O_RDONLY)
print("buffer", attempt(lambda: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)))
print("descriptor", attempt(lambda: socket.send_fds(one, [b"x"], [source])))
print("splice", attempt(lambda: os.splice(file, into, 1)))
print("sendfile", attempt(lambda: os.sendfile(into, file, 0, 1)))
print("pipe", attempt(lambda: fcntl.fcntl(into, 1031, 1 << 20)))
print("lock", attempt(lambda: fcntl.fcntl(file, 37, struct.pack("hhqqixxxx", 0, 0, 0, 1, 0))))
print("filter", option(22))
print("futexes", option(78))
def close_range(flags):
    # Of no descriptor, so that only the flags have an effect.
    last = 0xffff_ffff
    return libc.syscall(436, last, last, flags) == 0 and "done" or errno.errorcode[ctypes.get_errno()]
print("ranges", close_range(0), close_range(4), close_range(2), close_range(6))`);
    expect(output.trim().split('\n')).toEqual([
      'buffer EPERM',
      'descriptor EPERM',
      'splice EPERM',
      'sendfile EINVAL',
      'pipe EPERM',
      'lock EINVAL',
      'filter EPERM',
      'futexes EPERM',
      'ranges done done EINVAL EINVAL',
    ]);
  });

  test('is no reason to refuse what programs copy and lock files with [watched/zero-device]', async () => {
    const client = await openWatchedSandbox();
    const { output } = await client.run(`
import asyncio, fcntl, multiprocessing, shutil, sqlite3, subprocess
shutil.copyfile("/usr/bin/env", "/tmp/env")
print(open("/tmp/env", "rb").read() == open("/usr/bin/env", "rb").read())
with open("/tmp/lock", "w") as file: fcntl.lockf(file, fcntl.LOCK_EX)
with sqlite3.connect("/tmp/data") as data: print(data.execute("select 6 * 7").fetchone())
one, other = multiprocessing.get_context("fork").Pipe()
one.send("sent")
print(other.recv())
print(subprocess.run("head -c 3 /dev/zero | od -An -tx1", shell=True, capture_output=True, text=True).stdout.strip())`);
    expect(output.trim().split('\n')).toEqual(['True', '(42,)', 'sent', '00 00 00']);
  });
});

function testMemory(open: typeof openProvider): void {
  const memoryBytes = 64 * 2 ** 20;

  test.each([
    ['an interpreter', 'data = []\nwhile True: data.append(bytearray(1 << 22))'],
    [
      'mappings of its own',
      'import mmap\nkept = []\nwhile True:\n    kept.append(mmap.mmap(-1, 1 << 22, mmap.MAP_PRIVATE))\n    kept[-1].write(bytes(1 << 22))',
    ],
  ])('is bounded for %s, whose end is told for what it is [case 38]', async (_, bomb) => {
    const client = await open({ memoryBytes });
    const { output, outcome } = await client.run(`print("so far", flush=True)\n${bomb}`);
    expect(output).toBe('so far\n');
    expect(outcome).toMatchObject({
      success: false,
      interpreter_end: { reason: 'memory', status: 9 },
      error: { type: 'InterpreterEnded', message: expect.stringContaining('memory') },
    });
  });

  test('is limited for all processes together [case 38, compared/memory, watched/ended]', async () => {
    const client = await open({ memoryBytes });
    const code = `
import os, time
for _ in range(8):
    if os.fork() == 0:
        block = bytearray(20_000_000)
        time.sleep(60)
        os._exit(0)
ends = [os.WTERMSIG(os.wait()[1]) for _ in range(4)]
print(ends)`;
    const { output } = await client.run(code);
    expect(output).toMatch(/^\[9, 9, 9, 9\]\nWarning: background processes ended/);
    await expect.poll(async () => client.sandbox.memoryUsage?.()).toBeLessThan(memoryBytes);
  });

  test('is limited however quickly programs follow each other [watched/ended]', async () => {
    const client = await open({ memoryBytes });
    await client.run('kept = []');
    const ended = async (): Promise<unknown> => {
      for (let run = 0; run < 1000; run += 1) {
        const { outcome } = await client.run('kept.append(bytearray(1_000_000))');
        if (outcome.interpreter_end !== null) return outcome.interpreter_end;
      }
      return undefined;
    };
    // Killed within a program, or between two.
    await expect(Promise.race([ended(), client.closed.then(() => 'lost')])).resolves.toBeDefined();
  });

  test('that processes share is counted once', async () => {
    const client = await open({ memoryBytes });
    const code = `
import os, time
block = bytearray(40_000_000)
children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    children.append(pid)
time.sleep(0.3)
print([os.waitpid(pid, os.WNOHANG)[0] for pid in children])`;
    const { output } = await client.run(code);
    expect(output).toMatch(/^\[0, 0, 0, 0\]\nWarning: background processes ended/);
  });

  test.each(['/tmp', '/dev/shm'])(
    'counts the memory of files in %s [watched/counted]',
    async (path) => {
      const client = await open({ memoryBytes, temporaryStorageBytes: 2 ** 27 });
      // It waits where its files are full, in case that it has filled them before anybody looked.
      const { outcome } = await client.run(`
import time
with open("${path}/file", "wb") as file:
    try:
        while True: file.write(bytes(1 << 20))
    except OSError: time.sleep(60)`);
      expect(outcome.interpreter_end).toEqual({ reason: 'memory', status: 9 });
    },
  );

  test('cannot be used as files that nothing counts', async () => {
    const client = await open();
    const { outcome } = await client.run('import os\nos.memfd_create("hidden")');
    expect(outcome.error?.type).toBe('PermissionError');
  });

  test('an end by the same signal that was not due to memory is not reported as memory [every/decided-status]', async () => {
    const client = await open({ memoryBytes });
    const { outcome } = await client.run('import os\nos.kill(os.getpid(), 9)');
    expect(outcome.interpreter_end).toEqual({ reason: 'signal', status: 9 });
  });

  test('that an earlier program used up does not explain the end of a later one', async () => {
    const client = await open({ memoryBytes });
    const { output } = await client.run(`
import os
child = os.fork()
if child == 0:
    kept = []
    while True: kept.append(bytearray(1 << 22))
print(os.WTERMSIG(os.waitpid(child, 0)[1]))`);
    expect(output).toBe('9\n');
    const { outcome } = await client.run('import os\nos.kill(os.getpid(), 9)');
    expect(outcome.interpreter_end).toEqual({ reason: 'signal', status: 9 });
  });
}

/**
 * A program with 150 MiB that starts another one: the child waits in `open` of a named pipe until a third process opens it
 * too, and the parent waits for the child to have started its program. Programs can make no named pipes, so the host makes
 * this one.
 */
function slowStart(client: SandboxClient, seconds: number): string {
  const [supervisor = 0] = processesOf(client);
  const [userId] = readFileSync(`/proc/${supervisor}/uid_map`, 'utf8').trim().split(/\s+/);
  const inside = ['--user', '--mount', `--target=${supervisor}`];
  // An ordinary user is the sandbox's user already.
  const asItsUser =
    process.getuid?.() === 0
      ? [`--setuid=${userId}`, `--setgid=${userId}`]
      : ['--preserve-credentials'];
  execFileSync('nsenter', [...inside, ...asItsUser, 'mkfifo', '/tmp/held']);
  return `
import os, time
if os.fork() == 0:
    time.sleep(${seconds})
    os.open("/tmp/held", os.O_WRONLY)
    os._exit(0)
block = bytearray(150 << 20)
opening = (os.POSIX_SPAWN_OPEN, 0, "/tmp/held", os.O_RDONLY, 0)
child = os.posix_spawn("/usr/bin/true", ["true"], {}, file_actions=[opening])
print(os.waitpid(child, 0)[1])`;
}
