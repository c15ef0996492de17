import type { Protection, ProtectionName } from '../../sandbox/protection.ts';
import { type Comparison, row } from './comparison.ts';
import type { EngineKind } from './engine.ts';
import { dropsAll, isEmpty, lacking, show } from './inspected-values.ts';

/** What a sandbox may do, and which of the machine's name spaces it is in. */
export function checkRights({ made, host, asked, engine }: Comparison): Protection[] {
  const wanted = asked.HostConfig;
  const options: readonly string[] = host.SecurityOpt ?? [];
  const noNewPrivileges = options.some((option) => /^no-new-privileges(?:[:=]true)?$/.test(option));
  const filter = options.find((option) => option.startsWith('seccomp='));
  // Podman names a file, whose path it may have changed; Docker gives the text.
  const filtered =
    engine === 'podman'
      ? filter !== undefined && !filter.endsWith('unconfined')
      : lacking([filter ?? ''], wanted.SecurityOpt).length === 0;
  const unfiltered = filter === undefined || filter.endsWith('unconfined');
  const capabilities = isEmpty(host.CapAdd) && dropsAll(host.CapDrop);
  const { User: user } = made.Config;
  return [
    row(
      'user',
      show(asked.User),
      user || 'root',
      user === asked.User,
      `the user is ${user || 'root'}`,
    ),
    row(
      'capabilities',
      'none',
      capabilities ? 'none' : 'some',
      capabilities,
      'capabilities are left',
    ),
    row(
      'capabilities',
      'not privileged',
      host.Privileged === true ? 'privileged' : 'not privileged',
      host.Privileged !== true,
      'the container is privileged',
    ),
    row(
      'new privileges',
      'refused',
      noNewPrivileges ? 'refused' : 'possible',
      noNewPrivileges,
      'programs can gain privileges',
    ),
    row(
      'system calls',
      'our list',
      filtered ? 'our list' : 'another list',
      filtered,
      unfiltered
        ? 'system calls are not filtered'
        : 'system calls are filtered by another list than ours',
    ),
    row(
      'runtime',
      wanted.Runtime ?? 'the engine’s',
      show(host.Runtime),
      wanted.Runtime === undefined || host.Runtime === wanted.Runtime,
      `the runtime is ${host.Runtime}, not ${wanted.Runtime}`,
    ),
  ];
}

/** What it shares with the machine and with other containers. */
export function checkNameSpaces({ made, host, asked, engine }: Comparison): Protection[] {
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
    row(
      'network',
      show(wanted.NetworkMode),
      show(network),
      network === wanted.NetworkMode,
      `the network is ${network}, not none`,
    ),
    row(
      'network',
      'no ports',
      ports.join(' ') || (host.PublishAllPorts === true ? 'all ports' : 'no ports'),
      ports.length === 0 && host.PublishAllPorts !== true,
      'ports of the host lead into the sandbox',
    ),
    row(
      'network',
      'no network joined',
      networks.join(' ') || 'no network joined',
      networks.length === 0,
      `the sandbox is in the network ${networks.join(', ')}`,
    ),
    row(
      'name spaces',
      'its own shared memory',
      ipc === wanted.IpcMode ? 'its own shared memory' : show(ipc),
      ipc === wanted.IpcMode,
      `shared memory is ${show(ipc)}, not none`,
    ),
    row(
      'name spaces',
      'its own',
      joined.join(', ') || 'its own',
      joined.length === 0,
      `name spaces are shared (${joined.join(', ')})`,
    ),
    row(
      'control group',
      show(wanted.CgroupnsMode),
      groupsReported ? show(groups) : undefined,
      !groupsReported || groups === wanted.CgroupnsMode,
      'control groups of the machine can be seen',
    ),
  ];
}

/** What the engine hides, or keeps from being written to. */
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

/** Podman does not report these lists; its sandboxes can be asked from inside only. */
function paths(
  name: ProtectionName,
  wanted: readonly string[],
  made: readonly string[] | null | undefined,
  engine: EngineKind,
  verb: string,
): Protection {
  const asked = `${wanted.length} paths`;
  if (engine === 'podman' && isEmpty(made)) return row(name, asked, undefined, true, '');
  const left = lacking(wanted, made);
  const applied = left.length === 0 ? asked : `not ${left.join(' ')}`;
  return row(name, asked, applied, left.length === 0, `${left.join(', ')} ${verb}`);
}
