import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, inject, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { type CorpusPart, describeCorpus } from '../../security/corpus-suite.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { install } from '../installed.ts';

const PAUSE_MS = 200;

/** Runs hostile programs in pods. */
export function describeInPods(part: CorpusPart): void {
  const { kubeconfig, image } = inject('cluster');
  const admin = new ClusterApi(kubeconfig);
  const namespace = `corpus-${randomUUID()}`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  describeWithEngine('hostile programs in pods', () => {
    beforeAll(async () => {
      vi.stubEnv('KUBECONFIG', kubeconfig);
      const installed = await install(admin, { image, namespace });
      return async () => {
        await installed.remove();
        vi.unstubAllEnvs();
      };
    });
    describeCorpus(
      {
        place: 'kubernetes',
        pool: 1,
        // Connections to the API server are kept for the next request.
        keepsSpares: true,
        create: () => kubernetesProvider({ namespace }),
        listSandboxes: async () => {
          const { items } = (await admin.send('GET', pods)) as PodList;
          // The kubelet takes a second or two to remove a pod. Those who wait for it ask again at once, which takes processor time.
          // The connection is kept, which takes another turn of the event loop.
          await delay(PAUSE_MS);
          return items.map(({ metadata }) => metadata.name);
        },
      },
      part,
    );
  });
}

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}
