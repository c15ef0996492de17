// Sessions in pods: from new ones, from the pool, and in an open session.

import { kubernetesProvider } from '../../dist/providers/kubernetes/index.js';
import { big as bigResult, first, openExecutor, roundTrip, warm } from '../measures.mjs';
import { median, timed } from '../statistics.mjs';
import { BarePod } from './bare-pod.mjs';
import { untilReady } from './installation.mjs';

const ECHOES = 200;
const POOL_SIZE = 4;

/** A tool call, and an echo through exec. */
export async function roundTripRow(context) {
  return beside(
    context,
    (session) => roundTrip(session),
    (echo) => echo.shortLine(ECHOES),
  );
}

/** A small program, and the same echo. */
export async function warmRow(context) {
  return beside(
    context,
    (session) => warm(session),
    (echo) => echo.shortLine(ECHOES),
  );
}

/** A result of 10 MB, and an echo of as many bytes, which pass twice. */
export async function big(context) {
  return beside(
    context,
    (session) => bigResult(session),
    (echo) => echo.tenMegabytes(),
  );
}

/** Measures an open session beside an echo, in turn. */
async function beside({ cluster, image, amount, useNamespace }, measure, measureFloor) {
  const namespace = await useNamespace(0);
  const provider = kubernetesProvider({ namespace });
  const executor = openExecutor(provider);
  const session = await executor.acquire();
  const bare = await new BarePod(cluster, namespace).start(image);
  const { echo, close } = await bare.echo();
  const values = [];
  const floors = [];
  for (let round = 0; round <= amount.rounds; round += 1) {
    floors.push(await measureFloor(echo));
    values.push(await measure(session));
  }
  close();
  await bare.remove();
  await executor.close();
  await provider.close();
  // The first round warms both up.
  return { value: median(values.slice(1)), floor: median(floors.slice(1)) };
}

/** A new pod, and a bare pod until a command in it says something. */
export async function cold({ cluster, image, amount, useNamespace }) {
  const namespace = await useNamespace(0);
  const provider = kubernetesProvider({ namespace });
  const executor = openExecutor(provider);
  const values = [];
  const floors = [];
  for (let round = 0; round < amount.starts; round += 1) {
    const bare = new BarePod(cluster, namespace);
    floors.push(
      await timed(async () => {
        await bare.start(image);
        await bare.firstByte();
      }),
    );
    await bare.remove();
    values.push(await first(executor));
  }
  await executor.close();
  await provider.close();
  return { value: median(values), floor: median(floors) };
}

/** A pod of the pool, and what that needs at least: one patch and one command. */
export async function claim({ cluster, image, amount, useNamespace }) {
  const namespace = await useNamespace(POOL_SIZE);
  const provider = kubernetesProvider({ namespace });
  const executor = openExecutor(provider);
  // It begins the pool.
  await first(executor);
  const bare = await new BarePod(cluster, namespace).start(image);
  const values = [];
  const floors = [];
  for (let round = 0; round < amount.starts; round += 1) {
    await untilReady(cluster, namespace, POOL_SIZE);
    floors.push(
      await timed(async () => {
        await bare.patch();
        await bare.firstByte();
      }),
    );
    values.push(await first(executor));
  }
  await bare.remove();
  await executor.close();
  await provider.close();
  return { value: median(values), floor: median(floors) };
}

/** A pod that the executor's pool has claimed ahead, and a program in an open session. */
export async function pool({ cluster, amount, useNamespace }) {
  const namespace = await useNamespace(POOL_SIZE);
  const provider = kubernetesProvider({ namespace });
  const executor = openExecutor(provider, { pool: { minReady: 1 } });
  const session = await executor.acquire();
  const values = [];
  const floors = [];
  for (let round = 0; round < amount.starts; round += 1) {
    await untilReady(cluster, namespace, POOL_SIZE);
    await executor.warmUp();
    floors.push(await warm(session));
    values.push(await first(executor));
  }
  await executor.close();
  await provider.close();
  return { value: median(values), floor: median(floors) };
}
