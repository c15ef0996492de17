import { protection, type Protection, type ProtectionName } from '../../../sandbox/protection.ts';
import type { Comparison } from './comparison.ts';
import type { EngineKind } from '../engine/engine.ts';
import { dropsAll, isEmpty, lacking, show } from './inspected-values.ts';

/** Checks the rights of a sandbox. */
export function checkRights({ made, host, asked, engine }: Comparison): Protection[] {
  const wanted = asked.HostConfig;
  const options: readonly string[] = host.SecurityOpt ?? [];
  const noNewPrivileges = options.some((option) => /^no-new-privileges(?:[:=]true)?$/.test(option));
  const filter = options.find((option) => option.startsWith('seccomp='));
  // Docker reports the text of the profile. Podman reports a file, possibly with another path.
  const filtered =
    engine === 'podman'
      ? filter !== undefined && !filter.endsWith('unconfined')
      : lacking([filter ?? ''], wanted.SecurityOpt).length === 0;
  const unfiltered = filter === undefined || filter.endsWith('unconfined');
  const capabilities = isEmpty(host.CapAdd) && dropsAll(host.CapDrop);
  const { User: user } = made.Config;
  return [
    protection(
      'user',
      show(asked.User),
      user || 'root',
      user === asked.User,
      `the user is ${user || 'root'}`,
    ),
    protection(
      'capabilities',
      'none',
      capabilities ? 'none' : 'some',
      capabilities,
      'some capabilities are not dropped',
    ),
    protection(
      'capabilities',
      'not privileged',
      host.Privileged === true ? 'privileged' : 'not privileged',
      host.Privileged !== true,
      'the container is privileged',
    ),
    protection(
      'new privileges',
      'refused',
      noNewPrivileges ? 'refused' : 'possible',
      noNewPrivileges,
      'programs can gain privileges',
    ),
    protection(
      'system calls',
      'our list',
      filtered ? 'our list' : 'another list',
      filtered,
      unfiltered
        ? 'system calls are not filtered'
        : 'the filter of system calls is not the requested one',
    ),
    protection(
      'runtime',
      wanted.Runtime ?? 'the engine’s',
      show(host.Runtime),
      wanted.Runtime === undefined || host.Runtime === wanted.Runtime,
      `the runtime is ${host.Runtime} instead of ${wanted.Runtime}`,
    ),
  ];
}

/** Checks what a sandbox shares with the machine and with other containers. */
export function checkNamespaces({ made, host, asked, engine }: Comparison): Protection[] {
  const wanted = asked.HostConfig;
  const { NetworkMode: network, IpcMode: ipc, CgroupnsMode: groups } = host;
  const joined = Object.entries({
    process: host.PidMode,
    host: host.UTSMode,
    user: host.UsernsMode,
  })
    .filter(([, mode]) => mode !== undefined && mode !== '' && mode !== 'private')
    .map(([kind, mode]) => `${kind}: ${mode}`);
  const groupsReported = engine !== 'podman' || Boolean(groups);
  const ports = Object.keys(host.PortBindings ?? {});
  const networks = Object.keys(made.NetworkSettings?.Networks ?? {}).filter(
    (name) => name !== 'none',
  );
  return [
    protection(
      'network',
      show(wanted.NetworkMode),
      show(network),
      network === wanted.NetworkMode,
      `the network is ${network} instead of none`,
    ),
    protection(
      'network',
      'no ports',
      ports.join(' ') || (host.PublishAllPorts === true ? 'all ports' : 'no ports'),
      ports.length === 0 && host.PublishAllPorts !== true,
      'ports of the host are forwarded to the sandbox',
    ),
    protection(
      'network',
      'no network joined',
      networks.join(' ') || 'no network joined',
      networks.length === 0,
      `the sandbox is in the network ${networks.join(', ')}`,
    ),
    protection(
      'namespaces',
      'its own shared memory',
      ipc === wanted.IpcMode ? 'its own shared memory' : show(ipc),
      ipc === wanted.IpcMode,
      `shared memory is ${show(ipc)} instead of none`,
    ),
    protection(
      'namespaces',
      'its own',
      joined.join(', ') || 'its own',
      joined.length === 0,
      `namespaces are shared (${joined.join(', ')})`,
    ),
    protection(
      'control group',
      show(wanted.CgroupnsMode),
      groupsReported ? show(groups) : undefined,
      !groupsReported || groups === wanted.CgroupnsMode,
      'programs can see control groups of the machine',
    ),
  ];
}

/** Checks the paths that the engine hides or makes read-only. */
export function checkHiddenPaths({ host, asked, engine }: Comparison): Protection[] {
  const wanted = asked.HostConfig;
  return [
    paths('hidden paths', wanted.MaskedPaths ?? [], host.MaskedPaths, engine, 'are not hidden'),
    paths(
      'read-only paths',
      wanted.ReadonlyPaths ?? [],
      host.ReadonlyPaths,
      engine,
      'are writable',
    ),
  ];
}

/** Podman does not report these lists. Only a program in the sandbox can check them. */
function paths(
  name: ProtectionName,
  wanted: readonly string[],
  made: readonly string[] | null | undefined,
  engine: EngineKind,
  verb: string,
): Protection {
  const asked = `${wanted.length} paths`;
  if (engine === 'podman' && isEmpty(made)) return protection(name, asked, undefined, true, '');
  const left = lacking(wanted, made);
  const applied = left.length === 0 ? asked : `not ${left.join(' ')}`;
  return protection(name, asked, applied, left.length === 0, `${left.join(', ')} ${verb}`);
}
