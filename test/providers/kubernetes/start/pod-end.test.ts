import { expect, it } from 'vitest';
import { endOfPod } from '../../../../src/providers/kubernetes/start/pod-end.ts';
import { closing, object, refusal, scriptedServer } from '../cluster/scripted-server.ts';

const PATH = '/api/v1/namespaces/agents/pods/a';
const OUT_OF_MEMORY = {
  status: {
    containerStatuses: [
      { name: 'code', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } },
    ],
  },
};
const FAILED = refusal(500, 'InternalError', 'etcdserver: request timed out');

it('an API server that fails is asked again why a pod has ended', async () => {
  // A connection that is closed is asked once more by the client itself.
  const answers = [FAILED, closing, closing, object(OUT_OF_MEMORY)];
  const { cluster } = await scriptedServer({ answers });
  expect(await endOfPod({ cluster, path: PATH }, undefined)).toMatchObject({
    code: 'SANDBOX_LOST',
    details: { reason: 'memory' },
  });
});

it('nothing more is known of a pod that is gone', async () => {
  const answers = [refusal(404, 'NotFound', 'pods "a" not found'), object(OUT_OF_MEMORY)];
  const { cluster } = await scriptedServer({ answers });
  expect(await endOfPod({ cluster, path: PATH }, undefined)).toBeUndefined();
});
