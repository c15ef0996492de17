import { randomUUID } from 'node:crypto';
import { beforeAll, inject, vi } from 'vitest';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { describeContract } from '../../contracts/describe-contract.ts';
import type { Choice } from '../../support/describe-suite.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { install } from '../installed.ts';

/** For a language whose interpreter is tested elsewhere. What pods limit and how they end may differ for each interpreter. */
export const SAME_IMAGE: Choice = {
  groups: ['limits', 'ends'],
  coveredBy:
    'JavaScript and bash in containers, whose image is the same, and Python in pods, whose streams and walls are the same',
};

/** Runs the contract tests with pods. */
export function describeClusterContract(language: LanguageName, choice?: Choice): void {
  const { kubeconfig, image } = inject('cluster');
  const admin = new ClusterApi(kubeconfig);
  const namespace = `agents-${randomUUID()}`;
  describeWithEngine('pods', () => {
    beforeAll(async () => {
      vi.stubEnv('KUBECONFIG', kubeconfig);
      const installed = await install(admin, { image, namespace });
      return async () => {
        await installed.remove();
        vi.unstubAllEnvs();
      };
    });
    describeContract(
      {
        name: 'kubernetes',
        language,
        provider: () => kubernetesProvider({ namespace }),
        kill: async ({ id }) => {
          await admin.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${id}`);
        },
      },
      choice,
    );
  });
}
