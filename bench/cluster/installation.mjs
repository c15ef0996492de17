// A namespace with what sandboxes need, in the cluster of the kubeconfig.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { provideImage } from '../../dist/providers/docker/image/image.js';
import { manifests } from '../../dist/providers/kubernetes/manifests/manifests.js';
import { readRunnerFiles } from '../../dist/providers/kubernetes/pod/runner-files.js';
import { DEFAULT_LIMITS } from '../../dist/sandbox/sandbox.js';
import { readRunnerSource } from '../../dist/sandbox/runner-command.js';

const PAUSE_MS = 50;
const PLURALS = { Namespace: 'namespaces', NetworkPolicy: 'networkpolicies' };

/** Gives the cluster the sandbox image. @returns its name. */
export async function loadImage(onProgress) {
  const docker = new Docker();
  const runner = await readRunnerSource();
  const signal = AbortSignal.timeout(600_000);
  const { reference } = await provideImage({
    docker,
    image: undefined,
    runner,
    onProgress,
    signal,
  });
  const load = spawn('scripts/test-cluster.sh', ['load'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(load, 'exit');
  const image = await docker.getImage(reference).get();
  const [[status]] = await Promise.all([ended, pipeline(image, load.stdin).catch(() => {})]);
  if (status !== 0) throw new Error(`${reference} could not be loaded; why is above.`);
  return reference;
}

/**
 * Applies what `cluster manifests` prints.
 * @param {import('../../dist/providers/kubernetes/cluster/cluster.js').Cluster} cluster
 * @param {{ image: string, pool?: number }} options
 */
export async function install(cluster, { image, pool: size = 0 }) {
  const namespace = `bench-${randomUUID()}`;
  const options = { namespace, image, name: 'sandboxed-ptc', limits: DEFAULT_LIMITS };
  const pool = { size, languages: ['python'] };
  for (const body of manifests(await readRunnerFiles(), { ...options, sandboxes: 100, pool })) {
    const { apiVersion, kind } = body;
    const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const place = kind === 'Namespace' ? '' : `/namespaces/${namespace}`;
    const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
    await cluster.send({ method: 'POST', path: `${group}${place}/${plural}`, body });
  }
  // The cluster makes it a moment later, and refuses pods until then.
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await until(() =>
    cluster.send({ method: 'GET', path: account }).then(
      () => true,
      () => false,
    ),
  );
  return { namespace, remove: () => removeNamespace(cluster, namespace) };
}

export async function removeNamespace(cluster, namespace) {
  await cluster.send({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
}

/** Waits until so many pods run that no session has. */
export async function untilReady(cluster, namespace, count) {
  const query = new URLSearchParams({
    labelSelector: 'sandboxed-ptc.session=',
    fieldSelector: 'status.phase=Running',
  });
  const path = `/api/v1/namespaces/${namespace}/pods?${query}`;
  const as = 'PartialObjectMetadataList';
  await until(async () => {
    const { items } = await cluster.send({ method: 'GET', path, as });
    // Kubernetes 1.20 sends null for an empty list of metadata.
    return (items ?? []).length >= count;
  });
}

export async function until(condition) {
  while (!(await condition())) await delay(PAUSE_MS);
}
