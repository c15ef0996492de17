import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterRemains, clusterRemains } from '../../../scripts/test/cluster.mjs';

/** What the servers of a cluster would set for the whole machine. */
const SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
];
/** Where they would leave files that do not say whose they are. No other cluster of the script writes there either. */
const DIRECTORIES = [
  '/etc/cni',
  '/opt/cni',
  '/usr/libexec/kubernetes',
  '/var/lib/cni',
  '/var/lib/kubelet',
  '/var/log/containers',
  '/var/log/pods',
];

/** What a cluster could leave on the machine. */
export interface Remains extends ClusterRemains {
  readonly settings: readonly string[];
}

/**
 * Looks for what is of one cluster, since others and other tests may run beside it.
 * @param directory - Of the cluster.
 */
export function readRemains(directory: string): Remains {
  const { files, ...others } = clusterRemains(directory);
  return {
    ...others,
    files: [...files, ...DIRECTORIES.flatMap(list)],
    settings: SETTINGS.map((name) => `${name} ${readFileSync(`/proc/sys/${name}`, 'utf8')}`),
  };
}

function list(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return [directory, ...readdirSync(directory).map((name) => join(directory, name))];
}
