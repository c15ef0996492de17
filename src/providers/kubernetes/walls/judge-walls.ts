import { type Protection, protection } from '../../../sandbox/protection.ts';
import type { ResourceLimits } from '../../../sandbox/sandbox.ts';
import { annotationWeaknesses, changesOf, weaknessesOf } from '../pod/check-pod.ts';
import { CODE, temporaryVolumes } from '../pod/pod-template.ts';
import type { Pod, PodSpec } from '../pod/pod-types.ts';
import { mebibytes, processors, readQuantity } from '../pod/quantities.ts';
import type { NewPod, PodUsers } from '../pod/sandbox-pod.ts';
import type { PodFacts } from './facts.ts';

export interface Judged {
  readonly limits: ResourceLimits;
  readonly users: PodUsers;
  /** Whether other pods of the node may name the same users. @default false */
  readonly needsUserNamespace?: boolean | undefined;
  /** As the API server has it, after all that may have changed it. */
  readonly pod: Pod;
  /** What this host asked for. Undefined if another host did. */
  readonly asked?: NewPod | undefined;
  readonly facts: PodFacts;
}

/** Where the temporary volumes are. */
const PATHS: Readonly<Record<string, string>> = {
  temporary: '/tmp',
  'shared-memory': '/dev/shm',
};
/** File systems have whole pages. */
const PAGE_BYTES = 4096;

/** The protections of a pod, as its record and its sidecar confirm them. */
export function judgeWalls(judged: Judged): readonly Protection[] {
  return [...ofRecord(judged), ...ofCode(judged), networkOf(judged)];
}

function networkOf({ facts: { reached } }: Judged): Protection {
  const missing = `the pod’s network reaches ${reached.join(', ')}: no policy engine enforces the NetworkPolicy`;
  const applied = reached.length === 0 ? 'nothing reached' : `reached ${reached.join(', ')}`;
  return protection('network', 'nothing reached', applied, reached.length === 0, missing);
}

function ofRecord(judged: Judged): readonly Protection[] {
  const { pod, asked, limits, needsUserNamespace = false } = judged;
  const weaknesses = [
    ...weaknessesOf(pod.spec),
    ...annotationWeaknesses(pod.metadata.annotations),
    ...(asked === undefined ? [] : changesOf(pod.spec, asked.spec as PodSpec)),
  ].map(({ wall, what }) =>
    protection(wall, 'as in the template', what, false, `the API server changed the pod: ${what}`),
  );
  const given = pod.spec.containers.find(({ name }) => name === CODE)?.resources?.limits ?? {};
  return [
    ...weaknesses,
    limited('memory', mebibytes(limits.memoryBytes), given['memory']),
    limited('processors', processors(limits.cpus), given['cpu']),
    ...(needsUserNamespace ? [ownUsers(pod)] : []),
  ];
}

/** The kernel counts the processes of a user over a whole node. */
function ownUsers({ spec }: Pod): Protection {
  return flag(
    'processes',
    'a user namespace',
    spec['hostUsers'] === false,
    'the pod has no user namespace (hostUsers is not false), so all pods of its node share one limit of processes',
  );
}

function limited(
  name: 'memory' | 'processors',
  asked: string,
  applied: string | undefined,
): Protection {
  const holds = applied !== undefined && readQuantity(applied) === readQuantity(asked);
  return protection(
    name,
    asked,
    applied,
    holds,
    `the limit is ${applied ?? 'missing'}, not ${asked}`,
  );
}

function ofCode({ facts: { code }, users, limits }: Judged): readonly Protection[] {
  const { user, groups, processes } = code;
  const ids = [user, ...groups].join(', ');
  const isOwn = user === users.code && groups.every((group) => group === users.code);
  return [
    protection('user', String(users.code), ids, isOwn, `programs are user and groups ${ids}`),
    flag(
      'capabilities',
      'none',
      code.capabilities.every((set) => set === 0),
      'programs have capabilities',
    ),
    flag('new privileges', 'none', !code.newPrivileges, 'programs can gain privileges'),
    flag('system calls', 'filtered', code.filtersSystemCalls, 'system calls are not filtered'),
    flag(
      'system calls',
      'no internet sockets',
      !code.opensInternetSockets,
      'programs can open internet sockets',
    ),
    flag('root file system', 'read-only', !code.writesRoot, 'the root file system is writable'),
    flag('namespaces', 'own processes', code.process === 1, 'programs share a process namespace'),
    flag('environment', 'no token', !code.hasToken, 'programs have a token of the cluster'),
    protection(
      'processes',
      String(limits.processes),
      String(processes),
      processes === limits.processes,
      `the limit of processes is ${processes}`,
    ),
    ...storageOf(code.temporaryBytes, limits),
  ];
}

function storageOf(
  sizes: PodFacts['code']['temporaryBytes'],
  limits: ResourceLimits,
): readonly Protection[] {
  return temporaryVolumes(limits).map(({ name, emptyDir }) => {
    const path = PATHS[name] ?? name;
    const most = Number(emptyDir?.sizeLimit);
    const size = sizes[path];
    const holds = size !== undefined && size <= most + PAGE_BYTES;
    const missing = `${path} has ${size ?? 'an unknown number of'} bytes: the kubelet does not limit volumes in memory, as those before version 1.22 do not`;
    return protection('temporary files', `${path}: ${most}`, String(size), holds, missing);
  });
}

function flag(
  name: Protection['name'],
  asked: string,
  holds: boolean,
  missing: string,
): Protection {
  return protection(name, asked, holds ? asked : missing, holds, missing);
}
