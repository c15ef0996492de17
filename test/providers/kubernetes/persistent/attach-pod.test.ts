import { describe, expect, it } from 'vitest';
import { attachPod } from '../../../../src/providers/kubernetes/persistent/attach-pod.ts';
import { LABELS } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { Pod } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { sandboxPod } from '../../../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS, type Sandbox } from '../../../../src/sandbox/sandbox.ts';
import { refusal } from '../cluster/scripted-server.ts';
import { ObjectServer } from '../object-server.ts';
import { templateWith } from '../pool/template.ts';
import { confirmedFacts } from '../walls/confirmed-facts.ts';
import { PodServer } from './pod-server.ts';

const PODS = '/api/v1/namespaces/agents/pods';
const POD = `${PODS}/sandbox-1`;

/** A persistent pod of the session, of another version. */
function podIn(phase: string): Pod {
  return {
    metadata: {
      ...{ name: 'sandbox-1', uid: 'uid-1', resourceVersion: '' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { [LABELS.session]: 'session-1', [LABELS.persistent]: 'true', [LABELS.version]: '0' },
    },
    spec: { containers: [] },
    status: { phase },
  };
}

/** Attaches to the session. @param keys - Whether this host has the key, each time it asks. */
async function attach(
  { leases }: ObjectServer,
  keys: readonly boolean[],
): Promise<Sandbox | undefined> {
  const answers = [...keys];
  const hasKey = async (): Promise<boolean> => answers.shift() ?? false;
  const about = { namespace: 'agents', without: [], hasKey, owner: 'a/1/b' };
  return attachPod(leases.cluster, 'session-1', about);
}

it('a host that has the key removes a pod of the session that has not started', async () => {
  const server = await ObjectServer.start();
  server.put(POD, podIn('Pending'));
  expect(await attach(server, [true, true])).toBeUndefined();
  expect([...server.objects.keys()]).toEqual([]);
});

it('a host that has lost the key removes no pod of the session, and may make none', async () => {
  const server = await ObjectServer.start();
  server.put(POD, podIn('Pending'));
  await expect(attach(server, [false])).rejects.toMatchObject({ code: 'SESSION_HELD' });
  expect([...server.objects.keys()]).toEqual([POD]);
});

it('a host that has lost the key may make no pod if the session has none', async () => {
  const server = await ObjectServer.start();
  await expect(attach(server, [false])).rejects.toMatchObject({ code: 'SESSION_HELD' });
});

it('a host that loses the key while it removes a pod may make none', async () => {
  const server = await ObjectServer.start();
  server.put(POD, podIn('Pending'));
  await expect(attach(server, [true, false])).rejects.toMatchObject({ code: 'SESSION_HELD' });
});

it('a pod that starts as it is about to be removed is found as one that runs', async () => {
  const server = await ObjectServer.start();
  server.put(POD, podIn('Pending'));
  server.onRead = (path, times) => {
    if (path === PODS && times === 1) server.put(POD, podIn('Running'));
  };
  await expect(attach(server, [true, true])).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    details: { sandboxId: 'sandbox-1' },
  });
  expect([...server.objects.keys()]).toEqual([POD]);
});

it.each([
  ['cannot remove', 500, 'InternalError'],
  ['refuses to remove', 403, 'Forbidden'],
])('an error is told if the API server %s a pod that might start', async (_, code, reason) => {
  const server = await PodServer.start();
  server.phase = 'Pending';
  server.faults['DELETE'] = [{ isDone: false, answer: refusal(code, reason, 'not now') }];
  const hasKey = async (): Promise<boolean> => true;
  const about = { namespace: 'agents', without: [], hasKey, owner: 'a/1/b' };
  await expect(attachPod(server.cluster, 'session-1', about)).rejects.toMatchObject({ reason });
  expect(await attachPod(server.cluster, 'session-1', about)).toBeUndefined();
  expect(server.isDeleted).toBe(true);
});

describe('a pod that runs is not taken over, and goes on', () => {
  /** A pod as this package makes it, and what it says of itself. */
  async function serverOf(own: object, reached: readonly string[]): Promise<PodServer> {
    const server = await PodServer.start();
    const users = { sidecar: 30_000, code: 30_001 };
    const spec = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
    const template = await templateWith({});
    const made = sandboxPod(spec, { name: 'a', template, guests: await readGuests(), users });
    server.spec = { ...made.spec, ...own };
    server.facts = { code: confirmedFacts(users.code), reached };
    return server;
  }

  it.each([
    ['somebody debugs it', { ephemeralContainers: [{ name: 'debugger' }] }, [], 'namespaces'],
    ['its first host had another `without`', {}, ['10.96.0.1:443'], 'network'],
  ])('if %s', async (_, own, reached, wall) => {
    const server = await serverOf(own, reached);
    const hasKey = async (): Promise<boolean> => true;
    const about = { namespace: 'agents', without: [], hasKey, owner: 'a/1/b' };
    await expect(attachPod(server.cluster, 'session-1', about)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('the pod sandbox-1, which was not taken over'),
      details: { walls: [wall], sessionId: 'session-1', sandboxId: 'sandbox-1' },
    });
    expect(server).toMatchObject({ epoch: '2', isDeleted: false });
  });
});
