// The pods of a namespace, in the form that the container engine has here. The namespace is that of the current context, and
// nobody else may use it.

import { readdir, readFile } from 'node:fs/promises';
import { Cluster } from '../../dist/providers/kubernetes/cluster/cluster.js';
import { CODE, LABELS } from '../../dist/providers/kubernetes/pod/pod-template.js';
import { killProcessOf } from '../chaos/kill.mjs';

/** The cluster that the Kubernetes provider would find. */
export async function openPods() {
  const cluster = await Cluster.find({});
  const pods = `/api/v1/namespaces/${cluster.namespace}/pods`;
  const send = (method, path) => cluster.send({ method, path });
  /** Pods that have not ended. Hosts that were killed leave the records of others for some minutes. */
  const look = async () => {
    const { items } = await send('GET', `${pods}?labelSelector=${LABELS.session}`);
    return items
      .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
      .map(({ metadata, status }) => ({ Id: metadata.name, State: status.phase }));
  };
  /** The containers of programs, by pod: the API server forgets them before their processes end. */
  const containers = new Map();
  const containerOf = async (name) => {
    if (!containers.has(name)) {
      const { status } = await send('GET', `${pods}/${name}`);
      const code = status.containerStatuses?.find((one) => one.name === CODE);
      const container = code?.containerID?.split('//')[1];
      if (container === undefined) return undefined;
      containers.set(name, container);
    }
    return containers.get(name);
  };
  return {
    addOwner() {},
    look,
    countContainers: async () => (await look()).length,
    countProcesses: async () => 0,
    // Only of pods whose node is this machine.
    countProcessesOf: async (name) =>
      containers.has(name) ? (await processesIn(containers.get(name))).length : 0,
    /** The first process of the programs' container; 0 if it has none yet. */
    async firstProcessOf(name) {
      const container = await containerOf(name);
      const processes = container === undefined ? [] : await processesIn(container);
      return processes.length === 0 ? 0 : Math.min(...processes);
    },
    killProcess: async (name, processId) => killProcessOf(containers.get(name), processId),
    /** Ends a pod with all its processes. */
    kill: (name) => send('DELETE', `${pods}/${name}`),
    close: () => cluster.close(),
  };
}

/** The processes of a container. */
async function processesIn(container) {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/cgroup`, 'utf8').catch(() => '')),
  );
  return names.filter((_, index) => groups[index].includes(container)).map(Number);
}
