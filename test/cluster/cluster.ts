import type { TestProject } from 'vitest/node';
import { installHelm } from './chart/install.mjs';
import { type ClusterOfTests, startCluster, type StartedCluster } from './start-cluster.ts';

/** Gives the tests Helm, and a cluster that has the sandbox image. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Helm is installed while the cluster starts.
  const starting = findCluster();
  try {
    installHelm();
  } catch (error) {
    await (await starting).end();
    throw error;
  }
  const { cluster, end } = await starting;
  project.provide('cluster', cluster);
  return end;
}

async function findCluster(): Promise<StartedCluster> {
  const other = otherCluster();
  return other === undefined ? startCluster() : { cluster: other, end: async () => {} };
}

/** One that is not of the script. Only the contract tests and the hostile programs run there. */
function otherCluster(): ClusterOfTests | undefined {
  const {
    SANDBOXED_PTC_TEST_KUBECONFIG: kubeconfig,
    SANDBOXED_PTC_TEST_RESTRICTED_KUBECONFIG: restricted,
    SANDBOXED_PTC_TEST_IMAGE: image,
  } = process.env;
  if (kubeconfig === undefined || restricted !== undefined) return undefined;
  if (image === undefined) {
    throw new Error(
      'SANDBOXED_PTC_TEST_KUBECONFIG names a cluster. Set SANDBOXED_PTC_TEST_IMAGE too, to a sandbox image that its nodes can pull.',
    );
  }
  return { kubeconfig, restrictedKubeconfig: kubeconfig, image };
}
