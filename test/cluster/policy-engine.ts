import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ClusterApi } from './api.ts';

const run = promisify(execFile);
const PAUSE_MS = 50;
const OWN_NETWORK = readlinkSync('/proc/self/ns/net');

/** The parts of pods and policies that it reads. */
interface Objects {
  readonly items: readonly {
    readonly metadata: { readonly uid: string; readonly labels?: Readonly<Record<string, string>> };
    readonly spec: {
      readonly podSelector?: { readonly matchExpressions?: readonly { readonly key: string }[] };
    };
  }[];
}

/**
 * Stands in for a policy engine, of which the cluster has none: closes the interfaces of the pods that a NetworkPolicy of the
 * namespace selects, by labels that must exist.
 * @returns what ends it.
 */
export function startPolicyEngine(admin: ClusterApi, namespace: string): () => Promise<void> {
  const ending = new AbortController();
  const policies = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const closed = new Set<string>();
  const enforce = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const [{ items: all }, { items: rules }] = (await Promise.all([
        admin.send('GET', pods),
        admin.send('GET', policies),
      ])) as [Objects, Objects];
      const keys = rules.flatMap(({ spec }) => spec.podSelector?.matchExpressions ?? []);
      for (const { metadata } of all) {
        const isSelected = keys.some(({ key }) => metadata.labels?.[key] !== undefined);
        if (!isSelected || closed.has(metadata.uid)) continue;
        if (await closeNetwork(metadata.uid)) closed.add(metadata.uid);
      }
      await delay(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const enforcing = enforce();
  return async () => {
    ending.abort();
    await enforcing;
  };
}

/** Closes the interface of a pod. @returns whether the pod has one by now. */
async function closeNetwork(uid: string): Promise<boolean> {
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isInPod(name, uid));
  if (pid === undefined) return false;
  const close = ['--target', pid, '--net', 'ip', 'link', 'set', 'eth0', 'down'];
  return run('nsenter', close).then(
    () => true,
    () => false,
  );
}

/** A container starts in the pod's control group, and only then enters its network. Until then it has that of the machine. */
function isInPod(pid: string, uid: string): boolean {
  try {
    const isOfPod = readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/pod${uid}/`);
    return isOfPod && readlinkSync(`/proc/${pid}/ns/net`) !== OWN_NETWORK;
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
