import type { ContainerInspectInfo } from 'dockerode';
import type { SandboxContainerOptions } from './container-config.ts';

/**
 * Compares what an engine made with what it was asked for: engines drop limits that their kernel
 * lacks and only warn, and an image can bring storage of its own. Gives a sentence for each
 * protection that is missing.
 */
export function missingProtections(
  inspected: ContainerInspectInfo,
  asked: SandboxContainerOptions,
): string[] {
  const host = inspected.HostConfig;
  const wanted = asked.HostConfig;
  const securityOptions: readonly string[] = host.SecurityOpt ?? [];
  const storage = inspected.Mounts.filter((mount) => mount.Destination !== '/tmp');
  const checks: readonly (readonly [holds: boolean, sentence: string])[] = [
    [host.NetworkMode === wanted.NetworkMode, `the network is ${host.NetworkMode}, not none`],
    [host.ReadonlyRootfs === true, 'the root file system is writable'],
    [host.Privileged !== true, 'the container is privileged'],
    [isEmpty(host.CapAdd) && dropsAll(host.CapDrop), 'capabilities are left'],
    [
      securityOptions.some((option) => option.startsWith('no-new-privileges')),
      'programs can gain privileges',
    ],
    [
      securityOptions.some(
        (option) => option.startsWith('seccomp=') && !option.endsWith('unconfined'),
      ),
      'system calls are not filtered',
    ],
    [
      wanted.Runtime === undefined || host.Runtime === wanted.Runtime,
      `the runtime is ${host.Runtime}, not ${wanted.Runtime}`,
    ],
    [host.Memory === wanted.Memory, 'memory has no limit'],
    [host.PidsLimit === wanted.PidsLimit, 'the number of processes has no limit'],
    [inspected.Config.User === asked.User, `the user is ${inspected.Config.User || 'root'}`],
    [isEmpty(host.Binds), 'directories of the host are mounted'],
    [
      storage.length === 0,
      `the image mounts storage without a limit at ${storage.map((mount) => mount.Destination).join(', ')}`,
    ],
  ];
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}

function isEmpty(list: readonly unknown[] | null | undefined): boolean {
  return list === null || list === undefined || list.length === 0;
}

/** Podman names each capability that it would have given. */
function dropsAll(capabilities: readonly string[] | null): boolean {
  return capabilities !== null && (capabilities.includes('ALL') || capabilities.length > 10);
}
