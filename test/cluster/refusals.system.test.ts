import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { Cluster } from '../../src/providers/kubernetes/cluster/cluster.ts';
import {
  kubernetesProvider,
  type KubernetesProviderOptions,
} from '../../src/providers/kubernetes/index.ts';
import type { Manifest } from '../../src/providers/kubernetes/manifests/manifest.ts';
import { POD_VERSION } from '../../src/providers/kubernetes/pod/pod-template.ts';
import type { PodSpec } from '../../src/providers/kubernetes/pod/pod-types.ts';
import { DEFAULT_LIMITS, type ResourceLimits, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { boundToRestricted, install, type InstallOptions, withoutRight } from './installed.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const SPEC = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;

/** Installs, and starts a sandbox there as the user of a kubeconfig. */
async function start(
  options: Partial<InstallOptions> = {},
  own: KubernetesProviderOptions = {},
  file = kubeconfig,
): Promise<Sandbox> {
  vi.stubEnv('KUBECONFIG', file);
  const { namespace, remove } = await install(admin, { image, ...options });
  const provider = kubernetesProvider({ namespace, ...own });
  onTestFinished(async () => {
    await provider.close();
    await remove();
    vi.unstubAllEnvs();
  });
  return provider.create(SPEC);
}

/** Changes the pod of the template. */
function inTemplate(changes: object): (manifest: Manifest) => Manifest {
  return (manifest) => {
    if (manifest.kind !== 'PodTemplate') return manifest;
    const { spec } = manifest['template'] as { spec: object };
    return { ...manifest, template: { spec: { ...spec, ...changes } } };
  };
}

/** Lets sandboxes have more memory than the node has. */
function withMuchMemory(manifest: Manifest): Manifest {
  if (manifest.kind === 'ResourceQuota') return { ...manifest, spec: { hard: { pods: '20' } } };
  if (manifest.kind !== 'PodTemplate') return manifest;
  const changed: Manifest = structuredClone(manifest);
  const { spec } = changed['template'] as { spec: PodSpec };
  for (const { name, resources } of spec.containers) {
    if (name !== 'code' || resources === undefined) continue;
    for (const amounts of [resources.limits, resources.requests]) {
      Object.assign(amounts ?? {}, { memory: '1Ti' });
    }
  }
  return changed;
}

/** Why a program is not run, if there is no patience. Its pod is gone then. */
async function refusalOf(
  change: (manifest: Manifest) => Manifest,
  limits: ResourceLimits,
): Promise<unknown> {
  const { namespace, remove } = await install(admin, { image, change });
  const provider = kubernetesProvider({ namespace });
  const executor = new SandboxExecutor({ provider, limits, whenFull: { action: 'reject' } });
  onTestFinished(async () => {
    await executor.close();
    await provider.close();
    await remove();
    vi.unstubAllEnvs();
  });
  const refused = await executor.execute('1').catch((error: unknown) => error);
  const pods = await admin.send('GET', `/api/v1/namespaces/${namespace}/pods`);
  expect(pods).toMatchObject({ items: [] });
  return refused;
}

describeWithEngine('a sandbox in a cluster is refused', () => {
  it('without a template, and what installs one is named', async () => {
    await expect(start({}, { template: 'other' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(/podtemplates "other" not found.*cluster manifests/),
      details: { reason: 'NotFound' },
    });
  });

  it('if the template weakens a wall [kubernetes/template]', async () => {
    await expect(start({ change: inTemplate({ hostNetwork: true }) })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('namespaces: hostNetwork is true'),
      details: { template: 'sandboxed-ptc', walls: ['namespaces'] },
    });
  });

  it('if the template is of another version', async () => {
    const change = (manifest: Manifest): Manifest => {
      const { metadata } = manifest;
      if (manifest.kind !== 'PodTemplate') return manifest;
      return { ...manifest, metadata: { ...metadata, labels: { 'sandboxed-ptc.version': '0' } } };
    };
    await expect(start({ change })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(
        `is for pods of version 0; this process needs version ${POD_VERSION}`,
      ),
      details: { template: 'sandboxed-ptc', version: '0' },
    });
  });

  it('if the quota is used up', async () => {
    await expect(start({ sandboxes: 0 })).rejects.toMatchObject({
      code: 'SANDBOX_LIMIT',
      message: expect.stringContaining('exceeded quota: sandboxed-ptc'),
      details: { reason: 'Forbidden' },
    });
  });

  it('if nodes have no image', async () => {
    const missing = `registry.invalid/${randomUUID()}:1`;
    await expect(start({ image: missing })).rejects.toMatchObject({
      code: 'IMAGE_UNAVAILABLE',
      message: expect.stringContaining(missing),
    });
  });

  it('if the image has no Python', async () => {
    const pause = 'docker.io/library/sandboxed-ptc-pause:test';
    await expect(start({ image: pause })).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('needs python3'),
    });
  });

  // Both at a time: a cluster has a minute to add a node.
  it('if no node fits or has room, in the scheduler’s words and as whenFull says', async () => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    const elsewhere = inTemplate({ nodeSelector: { pool: 'none' } });
    const refused = await Promise.all([
      refusalOf(elsewhere, DEFAULT_LIMITS),
      refusalOf(withMuchMemory, { ...DEFAULT_LIMITS, memoryBytes: 2 ** 40 }),
    ]);
    expect(refused).toMatchObject(
      [/0\/1 nodes are available: 1 node/, /0\/1 nodes are available: 1 Insufficient memory/].map(
        (words) => ({
          code: 'SANDBOX_LIMIT',
          message: expect.stringMatching(words),
          details: { reason: 'Unschedulable' },
        }),
      ),
    );
  });

  it('to an account without rights, which are named', async () => {
    await expect(start({}, {}, restrictedKubeconfig)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('cannot get resource "podtemplates"'),
      details: { reason: 'Forbidden' },
    });
  });

  it('to an account that may not connect, which doctor says before', async () => {
    const change = (manifest: Manifest): Manifest =>
      withoutRight('pods/exec', boundToRestricted(manifest));
    vi.stubEnv('KUBECONFIG', restrictedKubeconfig);
    const { namespace, remove } = await install(admin, { image, change });
    onTestFinished(remove);
    const provider = kubernetesProvider({ namespace });
    onTestFinished(async () => provider.close());
    await expect
      .poll(async () => provider.probe())
      .toMatchObject({
        usable: false,
        reason: `in the namespace ${namespace}, this process may not create pods/exec, get pods/exec`,
      });
    await expect(provider.create(SPEC)).rejects.toMatchObject({
      message: expect.stringMatching(/cannot (?:get|create) resource "pods\/exec"/),
    });
  });

  it('with a context that the kubeconfig does not have', async () => {
    await expect(start({}, { context: 'other' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('no context "other"'),
    });
  });
});

describeWithEngine('an account with the role of a namespace', () => {
  it('can use it, and nothing else', async () => {
    const sandbox = await start({ change: boundToRestricted }, {}, restrictedKubeconfig);
    const { namespace } = await Cluster.find({});
    expect(namespace).toBe('default');
    const { protections } = (await sandbox.security?.()) ?? { protections: [] };
    expect(protections.length).toBeGreaterThan(10);
    expect(protections.filter(({ holds }) => !holds)).toEqual([]);
    await sandbox.close();
  });
});
