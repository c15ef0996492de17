import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import type { Pod, PodSpec } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import {
  type NewPod,
  sandboxPod,
  usersOf,
} from '../../../../src/providers/kubernetes/pod/sandbox-pod.ts';
import type { PodPool } from '../../../../src/providers/kubernetes/pool/pod-pool.ts';
import { startClaimedPod } from '../../../../src/providers/kubernetes/start/start-claimed-pod.ts';
import { startPod } from '../../../../src/providers/kubernetes/start/start-pod.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { inBackground } from '../../../../src/shared/async/background.ts';
import { clusterServedBy, object } from '../cluster/scripted-server.ts';
import { templateWith } from '../pool/template.ts';
import { sidecarThatSays } from '../streams/scripted-sidecar.ts';
import { confirmedFacts } from '../walls/confirmed-facts.ts';

const SPEC = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
const RUNNING = ['sidecar', 'code'].map((name) => ({ name, state: { running: {} } }));

/** What a cluster adds to a pod. */
interface Additions {
  /** For programs. */
  readonly variables?: readonly object[];
  /** The names of containers. They never start. */
  readonly others?: readonly string[];
}

/** A pod as a cluster has it. */
function recordOf({ metadata, spec }: NewPod, { variables = [], others = [] }: Additions): Pod {
  const { containers, ...other } = spec as PodSpec;
  const changed = containers.map((container) => {
    const { name, env = [] } = container;
    return name === 'code' ? { ...container, env: [...env, ...variables] } : container;
  });
  const added = others.map((name) => ({ name, image: 'proxy:1' }));
  const waiting = others.map((name) => ({ name, state: { waiting: {} } }));
  const own = { uid: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return {
    metadata: { ...metadata, ...own },
    spec: { ...other, containers: [...changed, ...added] },
    status: { phase: 'Running', containerStatuses: [...RUNNING, ...waiting] },
  };
}

/** A cluster that has one pod, and confirms its walls. */
interface OnePod {
  pod: Pod | undefined;
  readonly cluster: Cluster;
}

async function clusterOfOne(added: Additions): Promise<OnePod> {
  let pod: Pod | undefined;
  const sidecar = sidecarThatSays(() => {
    const { code = 0 } = (pod && usersOf(pod)) ?? {};
    return { code: confirmedFacts(code), reached: [] };
  });
  const cluster = await clusterServedBy((request, response) => {
    if (request.method === 'DELETE') pod = undefined;
    if (request.method !== 'POST') return object(pod ?? {})(request, response);
    const make = (sent: unknown): void => {
      pod = recordOf(sent as NewPod, added);
      object(pod)(request, response);
    };
    inBackground(json(request).then(make));
  }, sidecar);
  return {
    cluster,
    get pod() {
      return pod;
    },
    set pod(other) {
      pod = other;
    },
  };
}

describe.each([
  ['as it was asked for', {}, []],
  [
    'with a variable that the cluster has added for programs',
    { variables: [{ name: 'PROXY', value: 'a' }] },
    ['environment'],
  ],
  ['with a container that the cluster has added', { others: ['proxy'] }, ['namespaces']],
])('a pod %s', (_, added: Additions, walls) => {
  const isSame = walls.length === 0;

  it(`is ${isSame ? 'used' : 'refused, and removed'}`, async () => {
    const one = await clusterOfOne(added);
    const [template, guests] = await Promise.all([templateWith({}), readGuests()]);
    const about = { namespace: 'agents', template, guests, owner: 'a/1/b', startMs: 10_000 };
    const started = startPod(one.cluster, SPEC, { ...about, without: [] });
    if (isSame) {
      const sandbox = await started;
      expect(sandbox.id).toBe(one.pod?.metadata.name);
      return sandbox.close();
    }
    await expect(started).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      details: { walls },
    });
    expect(one.pod).toBeUndefined();
  });

  it(`of a pool is ${isSame ? 'used' : 'not used, and removed'}`, async () => {
    const one = await clusterOfOne(added);
    const [template, guests] = await Promise.all([templateWith({}), readGuests()]);
    const pool = { shape: 'a', unclaimedSeconds: 4711 };
    const users = { sidecar: 30_000, code: 30_001 };
    const made = sandboxPod(SPEC, { name: 'sandbox-1', template, guests, users, pool });
    one.pod = recordOf(made, added);
    const claim = async (): Promise<Pod | undefined> => one.pod;
    const about = { namespace: 'agents', template, guests, owner: 'a/1/b', startMs: 10_000 };
    const options = { ...about, without: [], pool: { claim } as unknown as PodPool };
    const sandbox = await startClaimedPod(one.cluster, SPEC, options);
    expect([sandbox?.id, one.pod?.metadata.name]).toEqual(
      isSame ? ['sandbox-1', 'sandbox-1'] : [undefined, undefined],
    );
    await sandbox?.close();
  });
});
