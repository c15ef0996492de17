import { randomUUID } from 'node:crypto';
import { beforeAll, inject, vi } from 'vitest';
import { ClusterApi } from '../api.ts';

/** Makes an empty namespace for the tests of a file, which find the cluster by `KUBECONFIG`. @returns its name. */
export function useEmptyNamespace(): string {
  const namespace = `keys-${randomUUID()}`;
  beforeAll(async () => {
    const { kubeconfig } = inject('cluster');
    const admin = new ClusterApi(kubeconfig);
    vi.stubEnv('KUBECONFIG', kubeconfig);
    await admin.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    return async () => {
      await admin.send('DELETE', `/api/v1/namespaces/${namespace}`);
      vi.unstubAllEnvs();
    };
  });
  return namespace;
}
