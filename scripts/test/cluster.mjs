// The Kubernetes cluster of a test run: whether there is one, and what it leaves on the machine.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCRIPT = 'scripts/test-cluster.sh';

const CLUSTER_PROJECT = ['--project', 'cluster'];
/** Those that need no power over the servers of the cluster. */
const ON_ANY_CLUSTER = ['test/cluster/contracts/', 'test/cluster/corpus/'];

/**
 * Whether `npm test` runs the tests with a cluster: one that a variable names, or one of this machine. That is built
 * by `npm run test:cluster`, because whoever does not touch it need not have it.
 * @returns why not. Undefined if it runs them.
 */
export function whyNoCluster(env = process.env) {
  if (env.SANDBOXED_PTC_TEST_KUBECONFIG !== undefined) return undefined;
  if (process.getuid?.() !== 0) return 'a cluster needs root';
  const { status, stderr } = spawnSync(SCRIPT, ['built'], { encoding: 'utf8', env });
  if (status === 0) return undefined;
  const reason = stderr.trim().replace('test-cluster: ', '').replace(/\.$/, '');
  if (reason !== '') return reason;
  return 'its servers are not built; `npm run test:cluster` builds them';
}

/** The tests that run with the cluster, as arguments of vitest. The script sets both variables, for a cluster of its own. */
export function clusterTests(env = process.env) {
  const isOther =
    env.SANDBOXED_PTC_TEST_KUBECONFIG !== undefined &&
    env.SANDBOXED_PTC_TEST_RESTRICTED_KUBECONFIG === undefined;
  return isOther ? [...CLUSTER_PROJECT, ...ON_ANY_CLUSTER] : CLUSTER_PROJECT;
}

/**
 * Variables that give a run a cluster in its own directory, so that runs do not wait for each other. One that `start` left
 * is used if its variables are set.
 */
export function clusterVariables(directory, env = process.env) {
  const isChosen = env.SANDBOXED_PTC_TEST_KUBECONFIG ?? env.SANDBOXED_PTC_CLUSTER_DIRECTORY;
  return isChosen === undefined
    ? { SANDBOXED_PTC_CLUSTER_DIRECTORY: join(directory, 'cluster') }
    : {};
}

/**
 * The number by which the cluster of a directory is known outside of it, as in the script.
 * @throws Error if `cksum` is missing.
 */
export function clusterNumber(directory) {
  const { stdout } = spawnSync('cksum', { input: `${directory}\n`, encoding: 'utf8' });
  return Number(stdout.split(' ')[0]) % 4000;
}

/** What is on the machine of the cluster of a directory, whatever other clusters there are. */
export function clusterRemains(directory) {
  const number = clusterNumber(directory);
  const group = `sandboxed-ptc-test-cluster-${number}`;
  return {
    files: existsSync(directory) ? [directory] : [],
    mounts: readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(directory)),
    interfaces: interfacesOf(`ptc-test${number}`),
    controlGroups: controlGroups('/sys/fs/cgroup', group, 3),
    processes: processesOf(directory, group),
  };
}

/** A bridge, and the interfaces of pods that are its ports. */
function interfacesOf(bridge) {
  const place = join('/sys/class/net', bridge);
  return existsSync(place) ? [bridge, ...readdirSync(join(place, 'brif')).sort()] : [];
}

/** A control group is in one hierarchy, or in several. */
function controlGroups(directory, name, depth) {
  if (depth === 0) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.name === name ? [path] : controlGroups(path, name, depth - 1);
    });
}

/** The servers, which name the directory, and what runs in a pod, which has the group. */
function processesOf(directory, group) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const [commandLine, groups] = ['cmdline', 'cgroup'].map((file) =>
        read(`/proc/${pid}/${file}`),
      );
      const isOurs = commandLine.includes(directory) || groups.includes(`/${group}/`);
      return isOurs ? [`${pid} ${commandLine.replaceAll('\0', ' ').trim()}`] : [];
    });
}

/** Nothing if the process has ended meanwhile. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
