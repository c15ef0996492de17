import { expect, it } from 'vitest';
import { judgePod } from '../../../src/providers/kubernetes/found-pods.ts';
import type { Pod } from '../../../src/providers/kubernetes/pod/pod-types.ts';

const ENDED_AT = '2026-01-01T00:00:00Z';
/** As the API server writes the end of a container that its kubelet has lost. */
const UNKNOWN = { exitCode: 137, reason: 'ContainerStatusUnknown', finishedAt: null } as never;

function podIn(phase: string, labels = {}, annotations = {}): Pod {
  const terminated = { exitCode: 0, finishedAt: ENDED_AT };
  const metadata = { name: 'a', uid: 'b', resourceVersion: '1', creationTimestamp: ENDED_AT };
  return {
    metadata: { ...metadata, labels, annotations },
    spec: { containers: [] },
    status: { phase, containerStatuses: [{ name: 'code', state: { terminated } }] },
  };
}

it.each([
  ['Running', 'alive', 3600, 'live'],
  ['Running', 'unsure', 3600, 'live'],
  // It ends by itself if its host is gone.
  ['Running', 'dead', 3600, 'foreign'],
  ['Pending', 'alive', 120, 'live'],
  // Its host no longer waits for it.
  ['Pending', 'alive', 600, 'orphan'],
  ['Pending', 'unsure', 600, 'orphan'],
  ['Pending', 'dead', 1, 'orphan'],
  // Its host may still ask why.
  ['Failed', 'alive', 60, 'live'],
  ['Failed', 'dead', 1, 'orphan'],
  ['Succeeded', 'unsure', 60, 'live'],
  ['Succeeded', 'alive', 600, 'orphan'],
  // It does not say which host it has.
  ['Running', undefined, 3600, 'foreign'],
  ['Pending', undefined, 3600, 'foreign'],
  ['Failed', undefined, 60, 'foreign'],
  ['Failed', undefined, 600, 'orphan'],
] as const)(
  'a pod that is %s, whose host is %s, and that was made or ended %d s ago, is %s',
  (phase, host, ago, verdict) => {
    expect(judgePod(podIn(phase), host, Date.parse(ENDED_AT) + ago * 1000)).toBe(verdict);
  },
);

it.each([
  // Its host may still ask why.
  ['alive', 'live'],
  ['unsure', 'live'],
  ['dead', 'orphan'],
  [undefined, 'orphan'],
] as const)(
  'a pod that was evicted, of which nobody knows when its containers ended, and whose host is %s, is %s',
  (host, verdict) => {
    for (const containerStatuses of [[], [{ name: 'code', state: { terminated: UNKNOWN } }]]) {
      const status = { phase: 'Failed', reason: 'Evicted', containerStatuses };
      const pod = { ...podIn('Failed'), status };
      expect(judgePod(pod, host, Date.parse(ENDED_AT))).toBe(verdict);
    }
  },
);

it.each([
  ['Running', {}, 'persistent'],
  ['Pending', {}, 'orphan'],
  ['Succeeded', {}, 'orphan'],
  // Its host said that it deletes the pod.
  ['Running', { 'sandboxed-ptc.epoch': 'ended' }, 'foreign'],
] as const)(
  'a persistent pod of a dead host that is %s %o is %s',
  (phase, annotations, verdict) => {
    const pod = podIn(phase, { 'sandboxed-ptc.persistent': 'true' }, annotations);
    expect(judgePod(pod, 'dead', Date.parse(ENDED_AT))).toBe(verdict);
  },
);
