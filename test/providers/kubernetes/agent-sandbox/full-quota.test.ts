import { expect, it } from 'vitest';
import { claimPod } from '../../../../src/providers/kubernetes/agent-sandbox/claim-pod.ts';
import { object, scriptedServer } from '../cluster/scripted-server.ts';

const QUOTA =
  'Error seen: pod create failed: pods "a" is forbidden: exceeded quota: sandboxed-ptc, requested: pods=1, used: pods=100, limited: pods=100';

it('a claim for which the quota has no room fails as the start of another pod does', async () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ReconcilerError', message: QUOTA },
  ];
  const claim = { metadata: { name: 'a', resourceVersion: '1' }, status: { conditions } };
  // It is made, read, and does not change any more.
  const answers = [object(claim), object(claim), () => undefined];
  const { cluster } = await scriptedServer({ answers });
  const about = { namespace: 'agents', name: 'a', sessionId: 'b', owner: '', startMs: 600_000 };
  await expect(claimPod(cluster, { ...about, warmPool: 'pool' })).rejects.toMatchObject({
    code: 'SANDBOX_LIMIT',
    message: expect.stringContaining('exceeded quota: sandboxed-ptc'),
    details: { reason: 'Forbidden' },
  });
});
