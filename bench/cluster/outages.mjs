// What goes on elsewhere or later: a session that another host takes over, and one whose API server was killed.

import { dirname } from 'node:path';
import { killServer } from '../../test/cluster/kill-server.ts';
import { kubernetesProvider } from '../../dist/providers/kubernetes/index.js';
import { openExecutor, run } from '../measures.mjs';
import { median, quantile, timed } from '../statistics.mjs';
import { BarePod } from './bare-pod.mjs';
import { until } from './installation.mjs';

/** From `acquire` to the first result, and what that needs at least: two patches and one command. */
export async function handOver({ cluster, image, amount, useNamespace }) {
  const namespace = await useNamespace(0);
  const providers = [kubernetesProvider({ namespace }), kubernetesProvider({ namespace })];
  if (providers[0].attach === undefined) return undefined;
  const executors = providers.map((provider) => openExecutor(provider));
  const bare = await new BarePod(cluster, namespace).start(image);
  const values = [];
  const floors = [];
  for (let round = 0; round <= amount.starts; round += 1) {
    floors.push(
      await timed(async () => {
        await bare.patch();
        await bare.patch();
        await bare.firstByte();
      }),
    );
    let session;
    values.push(
      await timed(async () => {
        const executor = executors[round % 2];
        session = await executor.acquire({ sessionKey: 'one', persistent: true });
        await run(session, round === 0 ? 'kept = 1' : 'kept');
      }),
    );
    await session.release();
  }
  await bare.remove();
  for (const executor of executors) await executor.close();
  for (const provider of providers) await provider.close();
  // The first round starts the session.
  return { value: median(values.slice(1)), floor: median(floors.slice(1)) };
}

/** From the moment at which the API server is ready again to the result of a program that waited. */
export async function resume({ cluster, directory, amount, useNamespace }) {
  const namespace = await useNamespace(0);
  const provider = kubernetesProvider({ namespace });
  const executor = openExecutor(provider);
  const session = await executor.acquire();
  const values = [];
  for (let round = 0; round < amount.kills; round += 1) {
    await run(session, 'print(1)');
    killServer(directory, 'kube-apiserver');
    const result = run(session, 'print(1)').then(() => performance.now());
    await until(() => isReady(cluster));
    const readyAt = performance.now();
    values.push(Math.max(0, (await result) - readyAt));
  }
  await executor.close();
  await provider.close();
  return {
    value: quantile(values, 0.99),
    floor: 0,
    notes: [`median ${median(values).toFixed(0)} ms`],
  };
}

/** @param {string} kubeconfig - Of `scripts/test-cluster.sh`. @returns the directory of its cluster. */
export function directoryOf(kubeconfig) {
  return dirname(dirname(kubeconfig));
}

async function isReady(cluster) {
  const path = '/api/v1/namespaces/default';
  return cluster.send({ method: 'GET', path, signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );
}
