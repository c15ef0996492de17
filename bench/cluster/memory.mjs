// The memory of a pod, as the kernel counts it for the pod's control group.

import { readFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { kubernetesProvider } from '../../dist/providers/kubernetes/index.js';
import { openExecutor, openIdleSession } from '../measures.mjs';
import { median } from '../statistics.mjs';
import { BarePod } from './bare-pod.mjs';

const SETTLE_MS = 2000;
const MEBIBYTE = 1024 * 1024;
const ROOT = '/sys/fs/cgroup';
const DEPTH = 4;

/** A pod with an idle session, and one with two sleeping containers. */
export async function memory({ cluster, image, amount, useNamespace }) {
  const namespace = await useNamespace(0);
  const provider = kubernetesProvider({ namespace });
  const executor = openExecutor(provider);
  const values = [];
  const floors = [];
  for (let round = 0; round < amount.pods; round += 1) {
    const bare = await new BarePod(cluster, namespace).start(image);
    const close = await openIdleSession(executor);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { items } = await cluster.send({ method: 'GET', path });
    const pod = items.find(({ metadata }) => metadata.name.startsWith('sandbox-'));
    await delay(SETTLE_MS);
    values.push(await memoryOf(pod.metadata.uid));
    floors.push(await memoryOf(bare.uid));
    await close();
    await bare.remove();
  }
  await executor.close();
  await provider.close();
  return { value: median(values), floor: median(floors) };
}

/** In MiB, without files that the kernel can drop. */
async function memoryOf(uid) {
  const isFirst = existsSync(join(ROOT, 'memory'));
  const group = find(isFirst ? join(ROOT, 'memory') : ROOT, uid, DEPTH);
  if (group === undefined) throw new Error(`the pod ${uid} has no control group in ${ROOT}`);
  const read = async (name) => readFile(join(group, name), 'utf8');
  const used = Number(await read(isFirst ? 'memory.usage_in_bytes' : 'memory.current'));
  const field = isFirst ? 'total_inactive_file' : 'inactive_file';
  const [, inactive] = new RegExp(`^${field} (\\d+)$`, 'm').exec(await read('memory.stat')) ?? [];
  return (used - Number(inactive)) / MEBIBYTE;
}

function find(directory, uid, depth) {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  // systemd writes the id with underscores.
  const own = names.find((name) => name.replaceAll('_', '-').includes(`pod${uid}`));
  if (own !== undefined) return join(directory, own);
  if (depth === 0) return undefined;
  for (const name of names) {
    const found = find(join(directory, name), uid, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
