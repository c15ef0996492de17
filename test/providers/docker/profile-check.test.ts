import type { ContainerInspectInfo } from 'dockerode';
import { expect, test } from 'vitest';
import { containerConfig } from '../../../src/providers/docker/container-config.ts';
import { missingProtections } from '../../../src/providers/docker/profile-check.ts';
import { specOf } from './support.ts';

const asked = containerConfig(specOf('session-1'), {
  image: 'sandbox:1',
  command: ['python3'],
  user: '20000:20000',
  owner: 'owner',
  name: 'name',
  runtime: 'runsc',
  engine: 'docker',
  seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
});

/** What an engine would report of a container that is as it was asked for, but for `changes`. */
function inspected(changes: {
  readonly User?: string;
  readonly HostConfig?: object;
  readonly Mounts?: readonly { readonly Destination: string }[];
}): ContainerInspectInfo {
  const report: unknown = {
    Config: { User: changes.User ?? asked.User },
    HostConfig: { ...asked.HostConfig, ...changes.HostConfig },
    Mounts: changes.Mounts ?? [],
  };
  return report as ContainerInspectInfo;
}

test('a container that is as it was asked for lacks nothing', () => {
  expect(missingProtections(inspected({}), asked)).toEqual([]);
});

test.each([
  [{ HostConfig: { NetworkMode: 'bridge' } }, 'the network is bridge, not none'],
  [{ HostConfig: { ReadonlyRootfs: false } }, 'the root file system is writable'],
  [{ HostConfig: { Privileged: true } }, 'the container is privileged'],
  [{ HostConfig: { CapDrop: null } }, 'capabilities are left'],
  [{ HostConfig: { CapAdd: ['SYS_ADMIN'] } }, 'capabilities are left'],
  [{ HostConfig: { SecurityOpt: ['seccomp={}'] } }, 'programs can gain privileges'],
  [
    { HostConfig: { SecurityOpt: ['no-new-privileges:true', 'seccomp=unconfined'] } },
    'system calls are not filtered',
  ],
  [{ HostConfig: { Runtime: 'runc' } }, 'the runtime is runc, not runsc'],
  [{ HostConfig: { Memory: 0 } }, 'memory has no limit'],
  [{ HostConfig: { PidsLimit: null } }, 'the number of processes has no limit'],
  [{ User: '' }, 'the user is root'],
  [{ HostConfig: { Binds: ['/:/host'] } }, 'directories of the host are mounted'],
  [{ Mounts: [{ Destination: '/data' }] }, 'the image mounts storage without a limit at /data'],
])('%j is told as a missing protection', (changes, sentence) => {
  expect(missingProtections(inspected(changes), asked)).toEqual([sentence]);
});
