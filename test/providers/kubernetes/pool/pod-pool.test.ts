import { expect, it, onTestFinished } from 'vitest';
import { PodPool } from '../../../../src/providers/kubernetes/pool/pod-pool.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { clusterServedBy, refusal } from '../cluster/scripted-server.ts';
import { templateWith } from './template.ts';

const SPEC = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
const REFUSED = refusal(503, 'ServiceUnavailable', 'not ready');

it('a session that waits for the pods to be known gets a new pod if the template changes', async () => {
  const asked = createDeferred<void>();
  const cluster = await clusterServedBy((request, response) => {
    // It gets no answer.
    if (request.url?.includes('/pods?') === true) asked.resolve();
    else REFUSED(request, response);
  });
  const pool = new PodPool(cluster, 'agents');
  onTestFinished(async () => pool.close());
  const guests = await readGuests();
  const size = { 'sandboxed-ptc/pool-size': '1' };
  const [before, after] = await Promise.all([
    templateWith(size, { image: 'sandbox:1' }),
    templateWith(size, { image: 'sandbox:2' }),
  ]);
  const claim = pool.claim(SPEC, { template: before, guests, owner: 'a/1/b' });
  await asked.promise;
  const next = pool.claim(SPEC, { template: after, guests, owner: 'a/1/b' });
  expect(await claim).toBeUndefined();
  await pool.close();
  expect(await next).toBeUndefined();
});
