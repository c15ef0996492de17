import { describe, expect, it } from 'vitest';
import type { FoundSandbox } from '../../../src/sandbox/sandbox.ts';
import { removeOrphanedPods } from '../../../src/providers/kubernetes/found-pods.ts';
import {
  HOST_LEASE_LABEL,
  hostLeaseName,
} from '../../../src/providers/kubernetes/keys/key-lease.ts';
import {
  ANNOTATIONS,
  LABELS,
  POD_VERSION,
} from '../../../src/providers/kubernetes/pod/pod-template.ts';
import type { Pod } from '../../../src/providers/kubernetes/pod/pod-types.ts';
import { unselectedPod } from '../../../src/providers/kubernetes/start/unselected-pod.ts';
import { type ApiObject, ObjectServer } from './object-server.ts';

const TIMES = { renewMs: 50, staleMs: 200 };
const PODS = '/api/v1/namespaces/agents/pods';
const POD = `${PODS}/sandbox-1`;
const CLAIM =
  '/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/agents/sandboxclaims/sandbox-claim';
const DEAD = 'dead0';
const CLAIMED = { [ANNOTATIONS.claim]: 'sandbox-claim' };

const METADATA = { resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' };

function podOf(host: string, phase: string, annotations = {}): Pod {
  return {
    metadata: {
      ...METADATA,
      name: 'sandbox-1',
      uid: 'uid-1',
      labels: {
        ...{ [LABELS.session]: 'session-1', [LABELS.persistent]: 'true' },
        [LABELS.version]: POD_VERSION,
      },
      annotations: { [ANNOTATIONS.owner]: `machine/1/${host}`, ...annotations },
    },
    spec: { containers: [] },
    status: { phase },
  };
}

function claim(): ApiObject {
  return { metadata: { ...METADATA, name: 'sandbox-claim', uid: 'uid-2' } };
}

/** Makes a host that always lives. @returns its id. */
async function livingHost({ leases }: ObjectServer): Promise<string> {
  const id = await leases.keys(TIMES).hostId();
  leases.living.add(hostLeaseName(id));
  return id;
}

/** A server with the Leases of hosts that no longer change them. */
async function serverWithDeadHost(...others: string[]): Promise<ObjectServer> {
  const server = await ObjectServer.start();
  for (const host of [DEAD, ...others]) {
    const name = hostLeaseName(host);
    const body = { metadata: { name, labels: { [HOST_LEASE_LABEL]: host } } };
    server.leases.store.do({ method: 'POST', name, body });
  }
  return server;
}

async function remove({ leases }: ObjectServer): Promise<readonly FoundSandbox[]> {
  const { signal } = new AbortController();
  const keys = leases.keys(TIMES);
  return removeOrphanedPods(leases.cluster, { namespace: 'agents', keys, signal });
}

it('a pod of a dead host that never started is removed', async () => {
  const server = await serverWithDeadHost();
  server.put(POD, podOf(DEAD, 'Pending'));
  expect(await remove(server)).toMatchObject([{ id: 'sandbox-1', verdict: 'orphan' }]);
  expect([...server.objects.keys()]).toEqual([]);
});

describe('a pod that has not started, and whose host lives,', () => {
  async function serverAt(date: string, made: string): Promise<ObjectServer> {
    const server = await ObjectServer.start();
    const pod = podOf(await livingHost(server), 'Pending');
    server.put(POD, { ...pod, metadata: { ...pod.metadata, creationTimestamp: made } });
    server.date = date;
    return server;
  }

  // The clock of this machine is ahead of the one year, and behind the other.
  it.each(['2020', '2120'])(
    'is removed five minutes after it was made, by the clock of the API server: %s',
    async (year) => {
      const made = `${year}-01-01T00:00:00Z`;
      const early = await serverAt(`${year}-01-01T00:04:00Z`, made);
      expect(await remove(early)).toEqual([]);
      expect([...early.objects.keys()]).toEqual([POD]);
      const late = await serverAt(`${year}-01-01T00:06:00Z`, made);
      expect(await remove(late)).toMatchObject([{ id: 'sandbox-1', verdict: 'orphan' }]);
      expect([...late.objects.keys()]).toEqual([]);
    },
  );
});

it('the Leases of dead hosts are removed, also of more than a thousand and without a pod', async () => {
  const others = Array.from({ length: 1001 }, (_, host) => `other${host}`);
  const server = await serverWithDeadHost(...others);
  const living = await livingHost(server);
  expect(await remove(server)).toEqual([]);
  expect(server.leases.names('host')).toEqual([hostLeaseName(living)]);
});

it('a pod that starts and gets another host while its first one is watched stays', async () => {
  const server = await serverWithDeadHost();
  server.put(POD, podOf(DEAD, 'Pending'));
  const host = await livingHost(server);
  server.onRead = (path, times) => {
    if (path === PODS && times === 1) server.put(POD, podOf(host, 'Running'));
  };
  expect(await remove(server)).toEqual([]);
  expect([...server.objects.keys()]).toEqual([POD]);
});

it('a pod that starts as it is about to be removed stays', async () => {
  const server = await serverWithDeadHost();
  server.put(POD, podOf(DEAD, 'Pending'));
  server.onRead = (path, times) => {
    if (path === PODS && times === 2) server.put(POD, podOf(DEAD, 'Running'));
  };
  expect(await remove(server)).toEqual([]);
  expect([...server.objects.keys()]).toEqual([POD]);
});

describe('a pod of agent-sandbox', () => {
  async function serverWithClaim(): Promise<ObjectServer> {
    const server = await serverWithDeadHost();
    server.put(POD, podOf(DEAD, 'Pending', CLAIMED));
    server.put(CLAIM, claim());
    return server;
  }

  it('is removed with its claim', async () => {
    const server = await serverWithClaim();
    expect(await remove(server)).toMatchObject([{ id: 'sandbox-1' }]);
    // The controller removes the pod.
    expect([...server.objects.keys()]).toEqual([POD]);
  });

  it.each([
    ['it starts', POD, podOf(DEAD, 'Running', CLAIMED)],
    ['its claim is changed', CLAIM, claim()],
  ])('stays with its claim if %s as they are about to be removed', async (_, changed, value) => {
    const server = await serverWithClaim();
    server.onRead = (path) => {
      if (path === CLAIM) server.put(changed, value);
    };
    expect(await remove(server)).toEqual([]);
    expect([...server.objects.keys()]).toEqual([POD, CLAIM]);
  });
});

describe('a pod that is only compared with those of sandboxes', () => {
  /** As `reachedWithoutPolicy` makes it. */
  function unselected(host: string, phase: string): Pod {
    const { metadata, ...pod } = podOf(host, phase);
    const { labels = {}, annotations = {} } = metadata;
    const made = unselectedPod({
      metadata: { name: metadata.name, labels, annotations, ownerReferences: [] },
      spec: pod.spec,
    });
    return { ...pod, metadata: { ...metadata, ...made.metadata } };
  }

  it.each(['Pending', 'Running', 'Succeeded'])(
    'is removed if its host is dead and it is %s',
    async (phase) => {
      const server = await serverWithDeadHost();
      server.put(POD, unselected(DEAD, phase));
      expect(await remove(server)).toMatchObject([{ id: 'sandbox-1', state: phase }]);
      expect([...server.objects.keys()]).toEqual([]);
    },
  );

  it('stays as long as its host lives', async () => {
    const server = await ObjectServer.start();
    server.put(POD, unselected(await livingHost(server), 'Running'));
    expect(await remove(server)).toEqual([]);
    expect([...server.objects.keys()]).toEqual([POD]);
  });

  it('is selected by no NetworkPolicy of sandboxes', () => {
    expect(unselected(DEAD, 'Running').metadata.labels).not.toHaveProperty(LABELS.session);
  });
});

it('a pod of agent-sandbox that no session has claimed stays', async () => {
  const server = await serverWithDeadHost();
  const { metadata, ...pod } = podOf(DEAD, 'Failed');
  const labels = { [LABELS.version]: POD_VERSION };
  server.put(POD, { ...pod, metadata: { ...metadata, labels, annotations: {} } });
  expect(await remove(server)).toEqual([]);
});
