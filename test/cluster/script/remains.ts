import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What the servers of a cluster would set for the whole machine. */
const SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
];
/** Where they would leave files. */
const DIRECTORIES = ['/etc/cni', '/opt', '/run/netns', '/usr/libexec', '/var/lib', '/var/log'];

/** What a cluster could leave on the machine. */
export interface Remains {
  readonly settings: readonly string[];
  readonly files: readonly string[];
  readonly mounts: readonly string[];
  readonly interfaces: readonly string[];
  readonly controlGroups: readonly string[];
  readonly processes: readonly string[];
}

/** @param directory - Of the cluster. */
export function readRemains(directory: string): Remains {
  const own = directory.split('/').at(-1) ?? '';
  return {
    settings: SETTINGS.map((name) => `${name} ${readFileSync(`/proc/sys/${name}`, 'utf8')}`),
    files: [...DIRECTORIES.flatMap(list), ...(existsSync(directory) ? [directory] : [])],
    mounts: lines('/proc/self/mounts').filter(
      (line) => /kube|cni|pods/.test(line) || line.includes(own),
    ),
    interfaces: readdirSync('/sys/class/net').sort(),
    controlGroups: controlGroups('/sys/fs/cgroup', 3),
    processes: processes(directory),
  };
}

function list(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => join(directory, name));
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n');
}

/** The groups of clusters. */
function controlGroups(directory: string, depth: number): string[] {
  if (depth === 0) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const path = join(directory, name);
      return /kubepods|test-cluster/.test(name) ? [path] : controlGroups(path, depth - 1);
    });
}

/** The servers, which name the directory, and what runs in a pod, which has its group. */
function processes(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const isInPod = readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes('kubepods');
        const isOurs = isInPod || commandLine.includes(directory);
        return isOurs ? [`${readlinkSync(`/proc/${pid}/exe`)} ${commandLine}`] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
