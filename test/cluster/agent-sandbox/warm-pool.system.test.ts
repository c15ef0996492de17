import { beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import type { Manifest } from '../../../src/providers/kubernetes/manifests/manifest.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { boundToRestricted, install, type InstallOptions } from '../installed.ts';
import { startController } from './controller.ts';
import { defineAgentSandbox } from './definitions.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const SPEC = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
/** Kubernetes 1.20 has no user namespaces. */
const WARM = { template: { warmPool: 'sandboxed-ptc' }, without: ['processes'] } as const;

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
}

async function list(namespace: string, kind: 'pods' | 'sandboxclaims'): Promise<readonly Listed[]> {
  const group = kind === 'pods' ? 'api/v1' : 'apis/extensions.agents.x-k8s.io/v1beta1';
  const { items } = (await admin.send('GET', `/${group}/namespaces/${namespace}/${kind}`)) as {
    items: Listed[];
  };
  return items;
}

async function installWarm(options: Partial<InstallOptions> = {}): Promise<string> {
  const installed = await install(admin, { image, agentSandbox: true, ...options });
  onTestFinished(installed.remove);
  return installed.namespace;
}

describeWithEngine('a warm pool of agent-sandbox', () => {
  beforeAll(async () => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    await defineAgentSandbox(admin);
    return () => void vi.unstubAllEnvs();
  });

  it('gives sessions its pods, and makes further ones, with no more rights than the printed ones', async () => {
    const namespace = await installWarm({ pool: 1, change: boundToRestricted });
    onTestFinished(await startController(admin, { namespace }));
    const [ready] = await list(namespace, 'pods');
    vi.stubEnv('KUBECONFIG', restrictedKubeconfig);
    onTestFinished(() => void vi.stubEnv('KUBECONFIG', kubeconfig));
    const provider = kubernetesProvider({ namespace, ...WARM });
    onTestFinished(async () => provider.close());
    expect(await provider.probe()).toMatchObject({ usable: true });
    const executor = new SandboxExecutor({ provider });
    const first = await executor.acquire({});
    expect(await first.execute('value = 6 * 7')).toMatchObject({ status: 'ok' });
    expect(await first.execute('print(value)')).toMatchObject({ stdout: '42\n' });
    const [claim] = await list(namespace, 'sandboxclaims');
    const [pod] = await list(namespace, 'pods');
    expect(pod?.metadata.labels['sandboxed-ptc.session']).toBe(first.id);
    expect(pod?.metadata.annotations?.['sandboxed-ptc.claim']).toBe(claim?.metadata.name);
    const found = (await provider.findSandboxes?.()) ?? [];
    const id = ready?.metadata.name;
    expect(found).toMatchObject([{ id, sessionId: first.id, verdict: 'live' }]);
    const second = await executor.acquire({});
    expect(await second.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    await executor.close();
    expect(await list(namespace, 'sandboxclaims')).toEqual([]);
    await expect.poll(async () => list(namespace, 'pods')).toEqual([]);
  });

  it('tells models of the libraries in its pods, and leaves no claim', async () => {
    // A process remembers the answer of an image by its name, and other files run in this process.
    const namespace = await installWarm({ image: `docker.io/${image}` });
    onTestFinished(await startController(admin, { namespace }));
    const provider = kubernetesProvider({ namespace, ...WARM });
    onTestFinished(async () => provider.close());
    expect(JSON.stringify(await provider.software?.())).toMatch(/python/i);
    expect(await list(namespace, 'sandboxclaims')).toEqual([]);
  });

  it('is refused if its pods share a limit of processes, unless that is not wanted [kubernetes/warm-pool-users]', async () => {
    const namespace = await installWarm({ pool: 1 });
    onTestFinished(await startController(admin, { namespace }));
    const provider = kubernetesProvider({ namespace, template: WARM.template });
    onTestFinished(async () => provider.close());
    await expect(provider.create(SPEC)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('hostUsers'),
      details: { walls: ['processes'] },
    });
    expect(await list(namespace, 'sandboxclaims')).toEqual([]);
  });

  it('is refused if its template lets pods reach something, or weakens another wall [kubernetes/warm-pool-network]', async () => {
    for (const [changes, said] of [
      [{ networkPolicy: undefined }, 'networkPolicy is not set'],
      [{ networkPolicy: { egress: [{}] } }, 'networkPolicy is {"egress":[{}]}'],
      [{ networkPolicyManagement: 'Unmanaged' }, 'networkPolicyManagement is Unmanaged'],
      [{ hostNetwork: true }, 'hostNetwork is true'],
    ] as const) {
      const namespace = await installWarm({ change: (manifest) => changed(manifest, changes) });
      const provider = kubernetesProvider({ namespace, ...WARM });
      await expect(provider.create(SPEC)).rejects.toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringContaining(said),
      });
      await provider.close();
      expect(await list(namespace, 'sandboxclaims')).toEqual([]);
    }
  });

  it('refuses sessions that need other pods, before it claims one', async () => {
    const namespace = await installWarm();
    const provider = kubernetesProvider({ namespace, ...WARM });
    onTestFinished(async () => provider.close());
    for (const [asked, said] of [
      [{ languages: ['bash'] }, 'have languages ["python"]'],
      [{ limits: { ...DEFAULT_LIMITS, processes: 5 } }, 'have limits'],
      [{ persistent: { idleLimitMs: 60_000 } }, 'persistent'],
    ] as const) {
      await expect(provider.create({ ...SPEC, ...asked })).rejects.toMatchObject({
        code: 'SANDBOX_START_FAILED',
        message: expect.stringContaining(said),
      });
    }
    expect(await list(namespace, 'sandboxclaims')).toEqual([]);
  });

  it('says why the controller gives no pod, and leaves no claim', async () => {
    const namespace = await installWarm();
    const refuse = { reason: 'TemplateNotFound', message: 'no template x' };
    onTestFinished(await startController(admin, { namespace, refuse }));
    const provider = kubernetesProvider({ namespace, ...WARM });
    onTestFinished(async () => provider.close());
    await expect(provider.create(SPEC)).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('TemplateNotFound: no template x'),
    });
    expect(await list(namespace, 'sandboxclaims')).toEqual([]);
  });

  it('that is not there is named', async () => {
    const namespace = await installWarm();
    const template = { warmPool: 'other' };
    const provider = kubernetesProvider({ namespace, template });
    onTestFinished(async () => provider.close());
    await expect(provider.create(SPEC)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('"other" not found'),
    });
  });
});

function changed(manifest: Manifest, changes: object): Manifest {
  if (manifest.kind !== 'SandboxTemplate') return manifest;
  if ('hostNetwork' in changes) {
    const weaker = structuredClone(manifest) as Manifest & {
      spec: { podTemplate: { spec: object } };
    };
    Object.assign(weaker.spec.podTemplate.spec, changes);
    return weaker;
  }
  return { ...manifest, spec: { ...(manifest['spec'] as object), ...changes } };
}
