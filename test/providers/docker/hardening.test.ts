import { afterAll, beforeAll, expect, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { skippedFor } from '../../support/skipped.ts';
import { SandboxClient, specOf } from './support.ts';

describeWithEngine('a program in a sandbox', () => {
  let client: SandboxClient;
  beforeAll(async () => {
    client = new SandboxClient(await dockerProvider().create(specOf('hardening')));
    await client.next();
  });
  afterAll(() => client.sandbox.close());

  /** The value of an expression, or the name of the error that it raises. */
  function attempt(expression: string, imports = 'os'): Promise<unknown> {
    return client.evaluate(`
import json, errno, ${imports}
try:
    print(json.dumps(${expression}))
except OSError as error:
    print(json.dumps(errno.errorcode.get(error.errno, type(error).__name__)))
`);
  }

  /** What a system call that libc has no function for gives: its result or its error. */
  function callSystem(number: number, ...systemArguments: number[]): Promise<unknown> {
    return client.evaluate(`
import ctypes, errno, json
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall(${[number, ...systemArguments].join(', ')})
print(json.dumps(errno.errorcode[ctypes.get_errno()] if result == -1 else result))
`);
  }

  test('is no system user, has no capability, cannot gain one, and is under a seccomp filter', async () => {
    const status = await attempt(
      `dict(line.rstrip().split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)`,
    );
    expect(status).toMatchObject({
      CapInh: '0000000000000000',
      CapPrm: '0000000000000000',
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
      CapAmb: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
      Uid: expect.stringMatching(/^[2-5]\d{4}\t/),
    });
  });

  test('sees no network interface but loopback and reaches nothing [docker/network]', async () => {
    expect(
      await attempt('os.listdir("/sys/class/net") if os.path.exists("/sys/class/net") else []'),
    ).toEqual([]);
    expect(await attempt('open("/proc/net/route").read().count("\\n")')).toBeLessThanOrEqual(1);
    expect(await attempt('socket.socket().fileno()', 'socket')).toBe('EPERM');
    expect(await attempt('socket.create_connection(("1.1.1.1", 53), 1).fileno()', 'socket')).toBe(
      'EPERM',
    );
    const AF_VSOCK = 40;
    expect(await attempt(`socket.socket(${AF_VSOCK}).fileno()`, 'socket')).toBe('EPERM');
  });

  test('cannot write to the root file system [docker/read-only]', async () => {
    expect(await attempt('open("/file", "w").name')).toBe('EROFS');
    const readOnly = await attempt('bool(os.statvfs("/opt/sandboxed-ptc").f_flag & os.ST_RDONLY)');
    expect(readOnly).toBe(true);
  });

  test('can write to /tmp and /dev/shm up to their size and no further [docker/storage]', async () => {
    const sizes = '[os.statvfs(path) for path in ("/tmp", "/dev/shm")]';
    expect(await attempt(`sum(size.f_blocks * size.f_frsize for size in ${sizes})`)).toBe(
      16_777_216,
    );
    expect(await attempt(`sum(size.f_files for size in ${sizes})`)).toBe(4096);
    expect(await attempt('open("/dev/shm/part", "wb").write(bytes(3_000_000))')).toBe('ENOSPC');
    expect(
      await attempt('[open(f"/tmp/part{part}", "wb").write(bytes(9_000_000)) for part in (1, 2)]'),
    ).toBe('ENOSPC');
    await client.run(
      'import os\nfor path in ("/tmp/part1", "/tmp/part2", "/dev/shm/part"): os.remove(path)',
    );
  });

  test('cannot start a program from /tmp or /dev/shm, nor write anywhere else [docker/storage]', async () => {
    for (const path of ['/tmp/true', '/dev/shm/true']) {
      expect(
        await attempt(
          `(shutil.copy("/bin/true", "${path}"), os.chmod("${path}", 0o755), subprocess.run(["${path}"]).returncode)`,
          'os, shutil, subprocess',
        ),
      ).toBe('EACCES');
    }
    expect(
      await attempt(
        '[path for path in ("/dev", "/run", "/var/tmp", "/home") if os.access(path, os.W_OK)]',
      ),
    ).toEqual([]);
  });

  test('finds no engine’s socket and nothing that the engine hides', async () => {
    expect(
      await attempt(
        '[path for path in ("/var/run/docker.sock", "/run/docker.sock") if os.path.exists(path)]',
      ),
    ).toEqual([]);
    // Empty where the kernel has it, not there where it has not.
    expect(['', 'ENOENT']).toContain(await attempt('open("/proc/kcore", "rb").read(1).hex()'));
    const told =
      '("/sys/firmware", "/sys/kernel", "/sys/devices", "/sys/bus", "/sys/dev", "/proc/bus")';
    expect(await attempt(`[path for path in ${told} if os.listdir(path)]`)).toEqual([]);
    expect(await attempt('open("/proc/cmdline").read() + open("/proc/locks").read()')).toBe('');
    expect(await attempt('open("/proc/sys/kernel/core_pattern", "w").name')).toBe('EROFS');
  });

  test('sees no environment of the host [docker/environment]', async () => {
    expect(await attempt('sorted(set(os.environ) - {"container"})')).toEqual([
      'HOME',
      'HOSTNAME',
      'LANG',
      'OMP_NUM_THREADS',
      'OPENBLAS_NUM_THREADS',
      'OUTPUT_DIR',
      'PATH',
      'USER',
    ]);
  });

  test(
    'cannot make the system calls that escapes are made of [docker/system-calls]',
    skippedFor(process.arch === 'x64' ? undefined : 'the numbers are those of x64'),
    async () => {
      const calls = {
        ptrace: [101, 0, 0, 0, 0],
        unshare: [272, 0x1000_0000],
        mount: [165, 0, 0, 0, 0, 0],
        bpf: [321, 0, 0, 0],
        io_uring_setup: [425, 1, 0],
        keyctl: [250, 0, 0, 0, 0, 0],
        userfaultfd: [323, 0],
        memfd_secret: [447, 0],
        perf_event_open: [298, 0, 0, 0, 0, 0],
        process_vm_readv: [310, 1, 0, 0, 0, 0, 0],
        setuid: [105, 0],
      } as const;
      const results: Record<string, unknown> = {};
      for (const [name, [number, ...rest]] of Object.entries(calls)) {
        results[name] = await callSystem(number, ...rest);
      }
      expect(results).toEqual(
        Object.fromEntries(Object.keys(calls).map((name) => [name, 'EPERM'])),
      );
      const clone3 = 435;
      expect(await callSystem(clone3, 0, 0)).toBe('ENOSYS');
    },
  );

  test('cannot open more files, write longer files or use more processes than it may [docker/resources]', async () => {
    expect(
      await attempt(
        '[resource.getrlimit(limit) for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_MEMLOCK)]',
        'resource',
      ),
    ).toEqual([
      [256, 256],
      [1, 1],
      [16_777_216, 16_777_216],
      [0, 0],
    ]);
    const started = await client.evaluate(`
import os, time
children = []
try:
    while len(children) < 200:
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        children.append(pid)
except OSError:
    pass
for pid in children:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
print(len(children))
`);
    expect(started).toBeGreaterThan(40);
    expect(started).toBeLessThan(64);
  });

  test('cannot take limits or processor time from its supervisor, but can lower its own [docker/own-limits]', async () => {
    const supervisor = 1;
    for (const change of [
      `resource.prlimit(${supervisor}, resource.RLIMIT_NOFILE, (0, 0))`,
      `os.setpriority(os.PRIO_PROCESS, ${supervisor}, 19)`,
      'os.setpriority(os.PRIO_USER, 0, 19)',
      `os.sched_setscheduler(${supervisor}, os.SCHED_IDLE, os.sched_param(0))`,
    ]) {
      expect(await attempt(change, 'os, resource')).toBe('EPERM');
    }
    expect(await attempt('os.fork() or os._exit(os.nice(3))')).toBeGreaterThan(1);
    expect(
      await attempt(
        'resource.setrlimit(resource.RLIMIT_NOFILE, (200, 256)) or resource.getrlimit(resource.RLIMIT_NOFILE)',
        'resource',
      ),
    ).toEqual([200, 256]);
  });

  test('cannot have its memory merged with that of others, nor a core for itself [docker/merging]', async () => {
    expect(await attempt('mmap.mmap(-1, 4096).madvise(12)', 'mmap')).toBe('EPERM');
    // PR_SET_MEMORY_MERGE, and PR_SCHED_CORE with PR_SCHED_CORE_CREATE.
    for (const [setting, argument] of [
      [67, 1],
      [62, 1],
    ]) {
      const answer = await client.evaluate(`
import ctypes, errno, json
libc = ctypes.CDLL(None, use_errno=True)
print(json.dumps(errno.errorcode[ctypes.get_errno()] if libc.prctl(${setting}, ${argument}, 0, 0, 0) == -1 else "done"))
`);
      expect(answer).toBe('EPERM');
    }
  });

  test('can make no message queue', async () => {
    expect(await attempt('os.listdir("/dev/mqueue")')).toEqual([]);
    expect(await attempt('os.open("/dev/mqueue/queue", os.O_CREAT | os.O_RDWR)')).toBe('EROFS');
  });

  test('that needs too much memory ends its interpreter, and the supervisor reports it', async () => {
    const hungry = new SandboxClient(await dockerProvider().create(specOf('memory')));
    try {
      await hungry.next();
      const { outcome } = await hungry.run(
        'data = []\nwhile True: data.append(bytearray(1 << 24))',
      );
      expect(outcome.interpreter_end).toEqual({ reason: 'memory', status: 9 });
    } finally {
      await hungry.sandbox.close();
    }
  });
});
