import type { ContainerInspectInfo } from 'dockerode';
import { describe, expect, test } from 'vitest';
import { containerConfig } from '../../../src/providers/docker/container/container-config.ts';
import type { EngineKind } from '../../../src/providers/docker/engine/engine.ts';
import {
  inspectedProtections,
  missingProtections,
} from '../../../src/providers/docker/security/profile-check.ts';
import { specOf } from './support.ts';

function configFor(engine: EngineKind): ReturnType<typeof containerConfig> {
  return containerConfig(specOf('session-1'), {
    image: 'sandbox:1',
    command: ['python3'],
    user: '20000:20000',
    owner: 'owner',
    name: 'name',
    runtime: 'runsc',
    engine,
    seccomp: engine === 'docker' ? '{"defaultAction":"SCMP_ACT_ERRNO"}' : '/tmp/seccomp.json',
  });
}

const asked = configFor('docker');

interface Changes {
  readonly Config?: object;
  readonly HostConfig?: object;
  readonly Mounts?: readonly { readonly Destination: string }[];
  readonly Networks?: object;
}

/** What an engine would report of a container that is as it was asked for, but for `changes`. */
function inspected(changes: Changes, made = asked): ContainerInspectInfo {
  const { HostConfig, ...config } = made;
  const report: unknown = {
    Config: { ...config, ...changes.Config },
    HostConfig: { ...HostConfig, ...changes.HostConfig },
    Mounts: changes.Mounts ?? [],
    NetworkSettings: { Networks: changes.Networks ?? {} },
  };
  return report as ContainerInspectInfo;
}

test('a container that is as requested lacks nothing [case 25, docker/read-back]', () => {
  expect(missingProtections(inspected({}), asked, 'docker')).toEqual([]);
});

const ulimit = (Name: string, value: number): object => ({ Name, Soft: value, Hard: value });
const tmpfs = {
  '/tmp': 'rw,noexec,nosuid,nodev,size=14680064,nr_inodes=3584,mode=1777',
  '/dev/shm': 'rw,noexec,nosuid,nodev,size=2097152,nr_inodes=512,mode=1777',
};
const ours = 'seccomp={"defaultAction":"SCMP_ACT_ERRNO"}';

test.each<[Changes, string]>([
  [{ HostConfig: { NetworkMode: 'bridge' } }, 'the network is bridge instead of none'],
  [
    { HostConfig: { NetworkMode: 'container:other' } },
    'the network is container:other instead of none',
  ],
  [{ Networks: { bridge: {} } }, 'the sandbox is in the network bridge'],
  [
    { HostConfig: { PortBindings: { '80/tcp': [] } } },
    'ports of the host are forwarded to the sandbox',
  ],
  [{ HostConfig: { PublishAllPorts: true } }, 'ports of the host are forwarded to the sandbox'],
  [{ HostConfig: { ReadonlyRootfs: false } }, 'the root file system is writable'],
  [{ HostConfig: { Privileged: true } }, 'the container is privileged'],
  [{ HostConfig: { CapDrop: null } }, 'some capabilities are not dropped'],
  [{ HostConfig: { CapDrop: ['NET_RAW'] } }, 'some capabilities are not dropped'],
  [{ HostConfig: { CapAdd: ['SYS_ADMIN'] } }, 'some capabilities are not dropped'],
  [{ HostConfig: { SecurityOpt: [ours] } }, 'programs can gain privileges'],
  [
    { HostConfig: { SecurityOpt: [ours, 'no-new-privileges:false'] } },
    'programs can gain privileges',
  ],
  [
    { HostConfig: { SecurityOpt: ['no-new-privileges:true', 'seccomp=unconfined'] } },
    'system calls are not filtered',
  ],
  [{ HostConfig: { SecurityOpt: ['no-new-privileges'] } }, 'system calls are not filtered'],
  [
    { HostConfig: { SecurityOpt: ['no-new-privileges', 'seccomp={}'] } },
    'the filter of system calls is not the requested one',
  ],
  [{ HostConfig: { Runtime: 'runc' } }, 'the runtime is runc instead of runsc'],
  [{ Config: { User: '' } }, 'the user is root'],
  [{ HostConfig: { Binds: ['/:/host'] } }, 'directories of the host are mounted'],
  [{ HostConfig: { Mounts: [{}] } }, 'directories of the host are mounted'],
  [{ HostConfig: { VolumesFrom: ['other'] } }, 'directories of the host are mounted'],
  [{ Mounts: [{ Destination: '/data' }] }, 'the image mounts storage without a limit at /data'],
  [
    { HostConfig: { Tmpfs: { ...tmpfs, '/tmp': tmpfs['/tmp'].replace('noexec,', '') } } },
    'the temporary storage is not what was requested (/tmp:noexec)',
  ],
  [
    { HostConfig: { Tmpfs: { ...tmpfs, '/run': 'rw' } } },
    'the temporary storage is not what was requested (/run)',
  ],
  [
    {
      HostConfig: {
        Tmpfs: { ...tmpfs, '/dev/shm': tmpfs['/dev/shm'].replace('size=2', 'size=9') },
      },
    },
    'the temporary storage is not what was requested (/dev/shm:size=2097152)',
  ],
  [{ HostConfig: { Devices: [{}] } }, 'devices of the host are in the sandbox'],
  [{ HostConfig: { DeviceRequests: [{}] } }, 'devices of the host are in the sandbox'],
  [
    { HostConfig: { MaskedPaths: asked.HostConfig.MaskedPaths?.slice(2) } },
    '/dev/mqueue, /dev/pts are not hidden',
  ],
  [{ HostConfig: { ReadonlyPaths: [] } }, '/proc/sys, /proc/sysrq-trigger are writable'],
  [{ HostConfig: { IpcMode: 'shareable' } }, 'shared memory is shareable instead of none'],
  [{ HostConfig: { PidMode: 'host' } }, 'namespaces are shared (process: host)'],
  [{ HostConfig: { UTSMode: 'host' } }, 'namespaces are shared (host: host)'],
  [{ HostConfig: { UsernsMode: 'host' } }, 'namespaces are shared (user: host)'],
  [{ HostConfig: { CgroupnsMode: 'host' } }, 'programs can see control groups of the machine'],
  [{ HostConfig: { Memory: 0 } }, 'memory has no limit'],
  [
    { HostConfig: { OomKillDisable: true } },
    'processes that exceed the memory limit are not killed',
  ],
  [{ HostConfig: { NanoCpus: 0 } }, 'processor time has no limit'],
  [{ HostConfig: { PidsLimit: null } }, 'the number of processes has no limit'],
  [
    {
      HostConfig: { Ulimits: [ulimit('nofile', 256), ulimit('core', 1), ulimit('fsize', 2 ** 24)] },
    },
    'limits of a process are missing (memlock=0:0)',
  ],
  [
    { HostConfig: { OomScoreAdj: 0 } },
    'the kernel does not end it first if the machine runs out of memory',
  ],
  [{ Config: { Cmd: ['sh'] } }, 'the container starts another command than the runner'],
  [{ HostConfig: { Init: true } }, 'the runner is not process 1, so programs can end it'],
  [
    { Config: { StdinOnce: false } },
    'its standard input is not what was requested, so it may outlive its host',
  ],
  [
    { Config: { Healthcheck: { Test: ['CMD', 'sh'] } } },
    'a health check of the image runs beside the runner',
  ],
  [
    { HostConfig: { LogConfig: { Type: 'json-file' } } },
    'the engine writes its output to a log (json-file)',
  ],
  [{ HostConfig: { AutoRemove: false } }, 'the engine does not remove it when it ends'],
  [{ HostConfig: { RestartPolicy: { Name: 'always' } } }, 'the engine starts it again (always)'],
])('%j is reported as a missing protection [docker/read-back]', (changes, sentence) => {
  expect(missingProtections(inspected(changes), asked, 'docker')).toEqual([sentence]);
});

test('swap that the kernel does not count is reported with the remedy', () => {
  const [sentence] = missingProtections(
    inspected({ HostConfig: { MemorySwap: -1 } }),
    asked,
    'docker',
  );
  expect(sentence).toMatch(/^swap has no limit, .*swapaccount=1/);
});

test('each protection is reported as requested and as the engine made it', () => {
  const report = inspectedProtections(
    inspected({ HostConfig: { Memory: 2 ** 30, PidsLimit: 0 } }),
    asked,
    'docker',
  );
  expect(report).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: 'memory',
        asked: '256 MiB',
        applied: '1024 MiB',
        holds: false,
      }),
      expect.objectContaining({ name: 'processes', asked: '64', applied: '0', holds: false }),
      expect.objectContaining({ name: 'network', asked: 'none', applied: 'none', holds: true }),
    ]),
  );
});

describe('a container of Podman, which reports in its own words', () => {
  const podman = configFor('podman');
  const report = {
    HostConfig: {
      CapDrop: Array.from({ length: 14 }, (_item, index) => `CAP_${index}`),
      CgroupnsMode: undefined,
      MaskedPaths: undefined,
      ReadonlyPaths: undefined,
      PidMode: 'private',
      UTSMode: 'private',
      SecurityOpt: ['no-new-privileges', 'seccomp=/elsewhere/seccomp.json'],
      Tmpfs: {
        '/tmp': 'nodev,nosuid,noexec,rw,mode=1777,size=14680064,rprivate',
        '/dev/shm': 'nodev,nosuid,noexec,rw,mode=1777,size=2097152,rprivate',
        '/var/tmp': 'ro,noexec,nosuid,nodev,size=4k,rprivate',
        '/run': 'rw',
      },
      Ulimits: [
        ulimit('RLIMIT_NOFILE', 256),
        ulimit('RLIMIT_CORE', 1),
        ulimit('RLIMIT_FSIZE', 2 ** 24),
        ulimit('RLIMIT_MEMLOCK', 0),
        ulimit('RLIMIT_NPROC', 4096),
      ],
    },
  };

  test('lacks nothing if they mean the same', () => {
    expect(missingProtections(inspected(report, podman), podman, 'podman')).toEqual([]);
  });

  test('reports nothing about what Podman does not report', () => {
    const untold = inspectedProtections(inspected(report, podman), podman, 'podman').filter(
      ({ applied }) => applied === undefined,
    );
    expect(untold.map(({ name }) => name)).toEqual([
      'hidden paths',
      'read-only paths',
      'control group',
    ]);
  });

  test('lacks its filter if that is unconfined', () => {
    const SecurityOpt = ['no-new-privileges', 'seccomp=unconfined'];
    const changed = { HostConfig: { ...report.HostConfig, SecurityOpt } };
    expect(missingProtections(inspected(changed, podman), podman, 'podman')).toEqual([
      'system calls are not filtered',
    ]);
  });
});
