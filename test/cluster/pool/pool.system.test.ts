import { beforeAll, afterAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { DEFAULT_LIMITS, type SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { boundToRestricted, install, type Installed } from '../installed.ts';
import { podsIn, untilReady } from './pool.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const SPEC = { sessionId: 'session-1', languages: ['python'], limits: DEFAULT_LIMITS } as const;
/** The name of a pod is that of its machine. */
const NAME = 'import socket\nprint(socket.gethostname())';

describeWithEngine('a pool of pods', () => {
  let installed: Installed;
  let namespace: string;
  let provider: SandboxProvider;
  beforeAll(async () => {
    vi.stubEnv('KUBECONFIG', restrictedKubeconfig);
    installed = await install(admin, { image, pool: 2, change: boundToRestricted });
    ({ namespace } = installed);
    provider = kubernetesProvider({ namespace });
    // The first sandbox finds no pool, and begins it.
    const first = await provider.create(SPEC);
    await first.close();
  });
  afterAll(async () => {
    await provider.close();
    await installed.remove();
    vi.unstubAllEnvs();
  });

  it('gives a session a pod that runs already, which is used once', async () => {
    const ready = await untilReady(admin, namespace, 2);
    const executor = new SandboxExecutor({ provider });
    const session = await executor.acquire({});
    const { stdout } = await session.execute(NAME);
    const name = stdout.trim();
    expect(ready).toContain(name);
    const claimed = (await podsIn(admin, namespace)).find((pod) => pod.metadata.name === name);
    expect(claimed?.metadata.labels['sandboxed-ptc.session']).toBe(session.id);
    await session.destroy();
    await executor.close();
    const later = await untilReady(admin, namespace, 2);
    expect(later).not.toContain(name);
    expect(await podsIn(admin, namespace)).toHaveLength(2);
  });

  it('gives it one whose walls are confirmed', async () => {
    const ready = await untilReady(admin, namespace, 2);
    const sandbox = await provider.create(SPEC);
    onTestFinished(async () => sandbox.close());
    expect(ready).toContain(sandbox.id);
    const { protections } = (await sandbox.security?.()) ?? { protections: [] };
    expect(protections.length).toBeGreaterThan(10);
    expect(protections.filter(({ holds }) => !holds)).toEqual([]);
  });

  it('has pods for a pool of an executor, which claims them ahead', async () => {
    const ready = await untilReady(admin, namespace, 2);
    const executor = new SandboxExecutor({ provider, pool: { minReady: 2 } });
    await executor.warmUp();
    const names = [];
    for (let count = 0; count < 2; count += 1) {
      names.push((await executor.execute(NAME)).stdout.trim());
    }
    expect(names.toSorted()).toEqual(ready);
    await executor.close();
  });

  it.each([
    ['another language', { languages: ['bash'] }],
    ['another limit', { limits: { ...DEFAULT_LIMITS, processes: 32 } }],
  ] as const)('has no pod for a session with %s, which gets a new one', async (_name, other) => {
    const ready = await untilReady(admin, namespace, 2);
    const sandbox = await provider.create({ ...SPEC, ...other });
    onTestFinished(async () => sandbox.close());
    expect(ready).not.toContain(sandbox.id);
    expect(await untilReady(admin, namespace, 2)).toEqual(ready);
  });
});
