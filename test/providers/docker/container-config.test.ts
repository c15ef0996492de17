import { describe, expect, test } from 'vitest';
import { containerConfig } from '../../../src/providers/docker/container/container-config.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const spec = {
  sessionId: 'session-1',
  languages: ['python'],
  limits: DEFAULT_LIMITS,
} as const;

const options = {
  image: 'sandbox:1',
  command: ['python3', '-c', 'pass'],
  engine: 'docker',
  seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
  user: '20007:20007',
  owner: 'host/1/a',
  name: 'sandbox-a',
  runtime: undefined,
} as const;

const config = containerConfig(spec, options);

describe('a sandbox’s container', () => {
  test('runs only our command, whatever entrypoint, command, user or health check its image has [case 14]', () => {
    expect(config).toMatchObject({
      Image: 'sandbox:1',
      Entrypoint: ['python3', '-c', 'pass'],
      Cmd: [],
      User: '20007:20007',
      WorkingDir: '/tmp',
      Healthcheck: { Test: ['NONE'] },
    });
  });

  test('has no network [case 25]', () => {
    expect(config.NetworkDisabled).toBe(true);
    expect(config.HostConfig.NetworkMode).toBe('none');
  });

  test('has no capabilities and can gain no privileges [docker/capabilities]', () => {
    expect(config.HostConfig).toMatchObject({ Privileged: false, CapDrop: ['ALL'], CapAdd: [] });
    expect(config.HostConfig.SecurityOpt).toContain('no-new-privileges:true');
  });

  test('makes system calls only through our own filter', () => {
    expect(config.HostConfig.SecurityOpt).toContain(`seccomp=${options.seccomp}`);
  });

  test('shares no namespace and nothing of the file system with the host [every/read-files, compared/files, docker/read-only, docker/namespaces]', () => {
    expect(config.HostConfig).toMatchObject({
      IpcMode: 'none',
      CgroupnsMode: 'private',
      PidMode: '',
      Binds: [],
      Mounts: [],
      Devices: [],
    });
  });

  test('can write only to a small /tmp and /dev/shm, which share a limit, and start no program from them', () => {
    expect(config.HostConfig.ReadonlyRootfs).toBe(true);
    expect(config.HostConfig.Tmpfs).toEqual({
      '/tmp': 'rw,noexec,nosuid,nodev,size=14680064,nr_inodes=3584,mode=1777',
      '/dev/shm': 'rw,noexec,nosuid,nodev,size=2097152,nr_inodes=512,mode=1777',
    });
    expect(14_680_064 + 2_097_152).toBe(spec.limits.temporaryStorageBytes);
  });

  test('limits /dev/shm even if there is almost no temporary storage', () => {
    const limits = { ...spec.limits, temporaryStorageBytes: 10_000 };
    expect(containerConfig({ ...spec, limits }, options).HostConfig.Tmpfs).toEqual({
      '/tmp': expect.stringContaining(',size=5904,'),
      '/dev/shm': expect.stringContaining(',size=4096,'),
    });
  });

  test.each([1, 4095, 4096])('limits /tmp also if the storage is %i bytes', (size) => {
    const limits = { ...spec.limits, temporaryStorageBytes: size };
    expect(containerConfig({ ...spec, limits }, options).HostConfig.Tmpfs).toEqual({
      '/tmp': expect.stringContaining(',size=4096,'),
      '/dev/shm': expect.stringContaining(',size=4096,'),
    });
  });

  test('has limits of memory without swap, processors, processes, files and file sizes [compared/memory, docker/resources]', () => {
    expect(config.HostConfig).toMatchObject({
      Memory: 268_435_456,
      MemorySwap: 268_435_456,
      NanoCpus: 500_000_000,
      PidsLimit: 64,
      OomScoreAdj: 500,
      Ulimits: [
        { Name: 'nofile', Soft: 256, Hard: 256 },
        { Name: 'core', Soft: 1, Hard: 1 },
        { Name: 'fsize', Soft: 16_777_216, Hard: 16_777_216 },
        { Name: 'memlock', Soft: 0, Hard: 0 },
      ],
    });
  });

  test('cannot see what /proc and /sys tell about the machine, but for its own control group', () => {
    expect(config.HostConfig.MaskedPaths).toEqual(
      expect.arrayContaining(['/proc/kcore', '/proc/config.gz', '/sys/firmware', '/sys/kernel']),
    );
    // What /sys/block and /sys/class link to.
    expect(config.HostConfig.MaskedPaths).toContain('/sys/devices');
    expect(config.HostConfig.ReadonlyPaths).toEqual(['/proc/sys', '/proc/sysrq-trigger']);
    expect(config.HostConfig.MaskedPaths).not.toContain('/sys/fs/cgroup');
  });

  test('ends with its host and is removed by the engine [supervisor/processes, docker/traces]', () => {
    expect(config).toMatchObject({
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      Tty: false,
    });
    expect(config.HostConfig).toMatchObject({
      AutoRemove: true,
      RestartPolicy: { Name: 'no' },
      Init: false,
    });
    expect(config.StopSignal).toBe('SIGKILL');
  });

  test('leaves no log on the host’s disk [case 35, docker/traces]', () => {
    expect(config.HostConfig.LogConfig).toEqual({ Type: 'none', Config: {} });
  });

  test('gets nothing of the host’s environment', () => {
    expect(config.Env).toEqual([
      'LANG=C.UTF-8',
      'HOME=/tmp',
      'OUTPUT_DIR=/tmp/outputs',
      'USER=sandbox',
      'OMP_NUM_THREADS=1',
      'OPENBLAS_NUM_THREADS=1',
    ]);
    expect(config.Hostname).toBe('sandbox');
  });

  test('has a label with its owner', () => {
    expect(config.Labels).toEqual({
      'sandboxed-ptc.owner': 'host/1/a',
      'sandboxed-ptc.session': 'session-1',
    });
  });

  test('outlives its host only if it is persistent, and has a label that says so', () => {
    const persistent = containerConfig({ ...spec, persistent: { idleLimitMs: 1000 } }, options);
    expect(persistent).toMatchObject({ OpenStdin: true, StdinOnce: false });
    expect(persistent.Labels).toMatchObject({ 'sandboxed-ptc.persistent': 'true' });
    expect(persistent.HostConfig).toEqual(config.HostConfig);
  });

  test('runs on the requested runtime, and otherwise on that of the engine', () => {
    const withRuntime = containerConfig(spec, { ...options, runtime: 'runsc' });
    expect(withRuntime.HostConfig.Runtime).toBe('runsc');
    expect(config.HostConfig).not.toHaveProperty('Runtime');
  });
});

test('Podman gets the same in its own form, except for a limit that it does not support', () => {
  const { HostConfig } = containerConfig(spec, {
    ...options,
    engine: 'podman',
    seccomp: '/tmp/a/seccomp.json',
  });
  expect(HostConfig.SecurityOpt).toEqual([
    'no-new-privileges:true',
    'seccomp=/tmp/a/seccomp.json',
    expect.stringMatching(/^mask=(\/[\w/.]+:)*\/proc\/kcore:/),
  ]);
  expect(HostConfig.Tmpfs).toEqual({
    '/tmp': 'rw,noexec,nosuid,nodev,size=14680064,mode=1777',
    '/dev/shm': 'rw,noexec,nosuid,nodev,size=2097152,mode=1777',
    '/var/tmp': 'ro,noexec,nosuid,nodev,size=4k',
  });
});
