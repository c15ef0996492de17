import { expect, it } from 'vitest';
import { verdictOf } from '../../../src/providers/kubernetes/found-pods.ts';
import type { Pod } from '../../../src/providers/kubernetes/pod/pod-types.ts';

const ENDED_AT = '2026-01-01T00:00:00Z';

it.each([
  ['Running', 3600, 'foreign'],
  ['Pending', 3600, 'foreign'],
  // Its host may still ask why.
  ['Failed', 60, 'foreign'],
  ['Failed', 600, 'orphan'],
  ['Succeeded', 600, 'orphan'],
] as const)(
  'a pod that is %s, and whose containers ended %d s ago, is %s',
  (phase, ago, verdict) => {
    const terminated = { exitCode: 0, finishedAt: ENDED_AT };
    const pod: Pod = {
      metadata: { name: 'a', uid: 'b', resourceVersion: '1', creationTimestamp: ENDED_AT },
      spec: { containers: [] },
      status: { phase, containerStatuses: [{ name: 'code', state: { terminated } }] },
    };
    expect(verdictOf(pod, Date.parse(ENDED_AT) + ago * 1000)).toBe(verdict);
  },
);
