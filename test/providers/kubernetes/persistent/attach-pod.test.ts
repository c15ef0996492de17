import { expect, it } from 'vitest';
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts';
import { attachPod } from '../../../../src/providers/kubernetes/persistent/attach-pod.ts';
import { LABELS } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { Pod } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { ObjectServer } from '../object-server.ts';

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
