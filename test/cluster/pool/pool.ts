import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ClusterApi } from '../api.ts';

/** A pod, as the tests of pools look at it. */
export interface PoolPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly status: { readonly phase: string };
}

export async function podsIn(admin: ClusterApi, namespace: string): Promise<readonly PoolPod[]> {
  const list = await admin.send('GET', `/api/v1/namespaces/${namespace}/pods`);
  return (list as { items: PoolPod[] }).items;
}

/** The names of the pods that run and that no session has. */
async function readyIn(admin: ClusterApi, namespace: string): Promise<readonly string[]> {
  const pods = await podsIn(admin, namespace);
  return pods
    .filter(({ metadata, status }) => {
      return metadata.labels['sandboxed-ptc.session'] === '' && status.phase === 'Running';
    })
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

/** Waits until so many pods are ready, and there are no others without a session. @returns their names. */
export async function untilReady(
  admin: ClusterApi,
  namespace: string,
  count: number,
): Promise<readonly string[]> {
  const counts = async (): Promise<readonly number[]> => {
    const pods = await podsIn(admin, namespace);
    const free = pods.filter(({ metadata }) => metadata.labels['sandboxed-ptc.session'] === '');
    return [free.length, (await readyIn(admin, namespace)).length];
  };
  await expect.poll(counts).toEqual([count, count]);
  return readyIn(admin, namespace);
}

/** Makes a pod that no node takes, and says that it runs. @returns its name. */
export async function makeHollowPod(
  admin: ClusterApi,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const name = `hollow-${randomUUID()}`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const containers = [{ name: 'code', image: 'none:1' }];
  const spec = { schedulerName: 'none', terminationGracePeriodSeconds: 0, containers };
  const annotations = { 'sandboxed-ptc.owner': '' };
  await admin.send('POST', pods, { metadata: { name, labels, annotations }, spec });
  await admin.send('PATCH', `${pods}/${name}/status`, { status: { phase: 'Running' } });
  return name;
}
