import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import {
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxProvider,
} from '../../../src/sandbox/sandbox.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { install } from '../installed.ts';
import { podsIn, untilReady } from './pool.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

interface Pool {
  readonly namespace: string;
  readonly provider: SandboxProvider;
  readonly first: Sandbox;
  /** The path of the template. */
  readonly template: string;
}

async function startPool(size: number): Promise<Pool> {
  const { namespace, remove } = await install(admin, { image, pool: size });
  const provider = kubernetesProvider({ namespace });
  const spec = { sessionId: randomUUID(), languages: ['python'], limits: DEFAULT_LIMITS } as const;
  onTestFinished(async () => {
    await provider.close();
    await remove();
  });
  const first = await provider.create(spec);
  const template = `/api/v1/namespaces/${namespace}/podtemplates/sandboxed-ptc`;
  return { namespace, provider, first, template };
}

function sized(size: number): object {
  return { metadata: { annotations: { 'sandboxed-ptc/pool-size': String(size) } } };
}

async function namesIn(namespace: string): Promise<readonly string[]> {
  return (await podsIn(admin, namespace)).map(({ metadata }) => metadata.name).toSorted();
}

describeWithEngine('the host that keeps a pool', () => {
  beforeAll(() => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    return () => void vi.unstubAllEnvs();
  });

  it('follows the size in the template, and ends no pod that a session has', async () => {
    const { namespace, first, template } = await startPool(1);
    const [one] = await untilReady(admin, namespace, 1);
    await admin.send('PATCH', template, sized(3));
    const three = await untilReady(admin, namespace, 3);
    expect(three).toContain(one);
    await admin.send('PATCH', template, sized(2));
    const two = await untilReady(admin, namespace, 2);
    // The oldest stay.
    expect(two).toContain(one);
    await admin.send('PATCH', template, sized(0));
    await expect.poll(() => namesIn(namespace)).toEqual([first.id]);
  });

  it('replaces pods that are no longer as the template says', async () => {
    const { namespace, first, template } = await startPool(2);
    const old = await untilReady(admin, namespace, 2);
    const resources = { spec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } };
    await admin.send('PATCH', template, { template: resources });
    await expect
      .poll(async () => (await namesIn(namespace)).filter((name) => old.includes(name)))
      .toEqual([]);
    await untilReady(admin, namespace, 2);
    expect(await namesIn(namespace)).toContain(first.id);
  });

  it('replaces pods that others end, and none is left when the template is deleted', async () => {
    const { namespace, template } = await startPool(2);
    const [ended = '', other] = await untilReady(admin, namespace, 2);
    await admin.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${ended}`);
    await expect.poll(() => namesIn(namespace)).not.toContain(ended);
    expect(await untilReady(admin, namespace, 2)).toContain(other);
    await admin.send('DELETE', template);
    await expect.poll(() => namesIn(namespace)).toEqual([]);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    // That of the host stays.
    await expect
      .poll(async () => (await admin.request('GET', leases)).body)
      .not.toContain('sandboxed-ptc-pool-');
  });

  it('makes no more pods than the quota allows, and fills the pool when there is room', async () => {
    const { namespace, first } = await startPool(2);
    await untilReady(admin, namespace, 2);
    const quota = `/api/v1/namespaces/${namespace}/resourcequotas/sandboxed-ptc`;
    await admin.send('PATCH', quota, { spec: { hard: { pods: '2' } } });
    const [ended = ''] = await untilReady(admin, namespace, 2);
    await admin.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${ended}`);
    const [other] = await untilReady(admin, namespace, 1);
    await first.close();
    expect(await untilReady(admin, namespace, 2)).toContain(other);
  });

  it('leaves a pod that a session has claimed without its host, which ends by itself', async () => {
    const { namespace } = await startPool(1);
    const [name = ''] = await untilReady(admin, namespace, 1);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await admin.send('PATCH', path, { metadata: { labels: { 'sandboxed-ptc.session': 'a' } } });
    const phase = async (): Promise<string | undefined> => {
      const pods = await podsIn(admin, namespace);
      return pods.find((pod) => pod.metadata.name === name)?.status.phase;
    };
    await expect.poll(phase).toBe('Succeeded');
    expect(await untilReady(admin, namespace, 1)).not.toContain(name);
  });
});
