import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '../../src/providers/kubernetes/cluster/api-error.ts';
import { Cluster } from '../../src/providers/kubernetes/cluster/cluster.ts';

const { kubeconfig } = inject('cluster');
const MAPS = '/api/v1/namespaces/default/configmaps';

it('the API server reads the condition of a request to delete, and nothing else for a request', async () => {
  vi.stubEnv('KUBECONFIG', kubeconfig);
  const cluster = await Cluster.find({});
  onTestFinished(() => {
    cluster.close();
    vi.unstubAllEnvs();
  });
  const name = randomUUID();
  await cluster.send({ method: 'POST', path: MAPS, body: { metadata: { name } } });
  const path = `${MAPS}/${name}`;
  const body = { preconditions: { uid: 'of another' } };
  const refused = cluster.send({ method: 'DELETE', path, body });
  await expect(refused).rejects.toMatchObject({ reason: 'Conflict' });
  // On the same connection.
  expect(await cluster.send({ method: 'GET', path })).toMatchObject({ metadata: { name } });
  await cluster.send({ method: 'DELETE', path });
  await expect(cluster.send({ method: 'GET', path })).rejects.toBeInstanceOf(ApiError);
});
