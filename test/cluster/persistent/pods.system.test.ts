import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { Cluster } from '../../../src/providers/kubernetes/cluster/cluster.ts';
import { execChannel } from '../../../src/providers/kubernetes/cluster/exec-channel.ts';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { attachPod } from '../../../src/providers/kubernetes/persistent/attach-pod.ts';
import { takeEpoch } from '../../../src/providers/kubernetes/persistent/epoch.ts';
import { POD_VERSION } from '../../../src/providers/kubernetes/pod/pod-template.ts';
import type { Pod } from '../../../src/providers/kubernetes/pod/pod-types.ts';
import { relayCommand } from '../../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { ResumableStreams } from '../../../src/providers/kubernetes/streams/resumable-streams.ts';
import {
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxProvider,
} from '../../../src/sandbox/sandbox.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { SandboxClient } from '../../providers/docker/support.ts';
import { ClusterApi } from '../api.ts';
import { useNamespace } from '../installed.ts';

const admin = new ClusterApi(inject('cluster').kubeconfig);
const LONG_MS = 600_000;

describeWithEngine('a persistent pod', () => {
  const namespaceOf = useNamespace();
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.find({});
    return () => cluster.close();
  });

  function provide(): SandboxProvider {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    onTestFinished(() => provider.close());
    return provider;
  }

  async function create(
    sessionId: string,
    { provider = provide(), idleLimitMs = LONG_MS } = {},
  ): Promise<Sandbox> {
    const spec = { sessionId, languages: ['python'], limits: DEFAULT_LIMITS } as const;
    const sandbox = await provider.create({ ...spec, persistent: { idleLimitMs } });
    onTestFinished(async () => void (await admin.request('DELETE', pathOf(sandbox))));
    return sandbox;
  }

  function pathOf({ id }: { readonly id: string }): string {
    return `/api/v1/namespaces/${namespaceOf()}/pods/${id}`;
  }

  async function read(sandbox: Sandbox): Promise<Pod> {
    return (await admin.send('GET', pathOf(sandbox))) as Pod;
  }

  async function exists(id: string): Promise<boolean> {
    return (await admin.request('GET', pathOf({ id }))).status === 200;
  }

  /** Tells the runner that a host came, and gives its answer. */
  async function greet(client: SandboxClient): Promise<unknown> {
    client.sandbox.transport.send({ kind: 'attach', attach_id: 'test', idle_limit_ms: LONG_MS });
    for (;;) {
      const message = await client.next();
      if (message.kind === 'attached' && message.attach_id === 'test') return message;
    }
  }

  async function attach(sessionId: string, provider = provide()): Promise<SandboxClient> {
    const sandbox = await provider.attach?.(sessionId);
    if (sandbox === undefined) throw new Error('There is nothing to take over.');
    return new SandboxClient(sandbox);
  }

  it('keeps its variables from host to host, and the last can say how it is isolated', async () => {
    const sessionId = randomUUID();
    const first = new SandboxClient(await create(sessionId));
    await greet(first);
    await first.run('kept = 7');
    await first.sandbox.detach?.();
    const second = await attach(sessionId);
    expect(await greet(second)).toMatchObject({ executions: 1, interrupted: false });
    expect(await second.evaluate('print(kept)')).toBe(7);
    const { protections = [] } = (await second.sandbox.security?.()) ?? {};
    expect(protections.length).toBeGreaterThan(10);
    expect(protections.filter(({ holds }) => !holds)).toEqual([]);
    await second.sandbox.close();
    expect(await provide().attach?.(sessionId)).toBeUndefined();
  });

  it('serves one host at a time, and only that one ends it [kubernetes/takeover]', async () => {
    const sessionId = randomUUID();
    const older = new SandboxClient(await create(sessionId));
    const newer = await attach(sessionId);
    expect(await greet(newer)).toMatchObject({ kind: 'attached' });
    expect(await older.closed).toMatchObject({
      code: 'SANDBOX_LOST',
      message: expect.stringContaining('a host with epoch 2 has taken over'),
    });
    await older.sandbox.close();
    expect(await newer.evaluate('print(1)')).toBe(1);
    await newer.sandbox.close();
    await expect.poll(async () => exists(newer.sandbox.id)).toBe(false);
  });

  it('is taken over by no host that has lost the key, or that another was faster than', async () => {
    const sessionId = randomUUID();
    const sandbox = await create(sessionId);
    const before = await read(sandbox);
    const namespace = namespaceOf();
    const hasKey = async (): Promise<boolean> => false;
    const about = { namespace, without: [], hasKey, owner: 'a/1/b' };
    await expect(attachPod(cluster, sessionId, about)).rejects.toMatchObject({
      code: 'SESSION_HELD',
      details: { sessionId },
    });
    expect((await read(sandbox)).metadata.annotations).toEqual(before.metadata.annotations);
    const place = { cluster, path: pathOf(sandbox) };
    expect(await takeEpoch(place, before, 'a/1/b')).toBe(2);
    expect(await takeEpoch(place, before, 'c/1/d')).toBeUndefined();
    expect((await read(sandbox)).metadata.annotations).toMatchObject({
      'sandboxed-ptc.epoch': '2',
      'sandboxed-ptc.owner': 'a/1/b',
    });
  });

  it('is taken over from a host that died in the middle of a line', async () => {
    const sessionId = randomUUID();
    const sandbox = await create(sessionId);
    await sandbox.detach?.();
    const { spec, metadata } = await read(sandbox);
    const target = { namespace: namespaceOf(), pod: metadata.name, container: 'sidecar' };
    const same = await ResumableStreams.connect({
      open: execChannel(cluster, { ...target, command: relayCommand(spec) }),
      epoch: 1,
      patienceMs: 30_000,
      onEnd: () => undefined,
    });
    same.stdin.write('__PTC_DATA__262144\n');
    same.close();
    expect(await greet(await attach(sessionId))).toMatchObject({ executions: 0 });
  });

  it('ends by itself when it had no host for its idle time [kubernetes/idle-time]', async () => {
    const sandbox = await create(randomUUID(), { idleLimitMs: 1000 });
    await sandbox.detach?.();
    const phase = async (): Promise<unknown> => (await read(sandbox)).status?.phase;
    await expect.poll(phase).toBe('Succeeded');
  });

  it('whose runner ends without a host ends soon after it, although a host could come later', async () => {
    const sandbox = await create(randomUUID());
    sandbox.transport.send({ kind: 'attach', attach_id: 'test', idle_limit_ms: 100 });
    const client = new SandboxClient(sandbox);
    for (let answers = 0; answers < 2;) if ((await client.next()).kind === 'attached') answers += 1;
    await sandbox.detach?.();
    const phase = async (): Promise<unknown> => (await read(sandbox)).status?.phase;
    await expect.poll(phase, { timeout: 240_000 }).toBe('Succeeded');
  });

  it('whose runner has ended is removed, and there is nothing to take over', async () => {
    const sessionId = randomUUID();
    const sandbox = await create(sessionId);
    sandbox.transport.send({ kind: 'exit' });
    const client = new SandboxClient(sandbox);
    await client.closed;
    expect(await provide().attach?.(sessionId)).toBeUndefined();
    await expect.poll(async () => exists(sandbox.id)).toBe(false);
  });

  it('that has not started is removed by the next host of its session', async () => {
    const sessionId = randomUUID();
    const name = `sandbox-${randomUUID()}`;
    const labels = { 'sandboxed-ptc.session': sessionId, 'sandboxed-ptc.persistent': 'true' };
    const { spec } = await read(await create(randomUUID()));
    const body = {
      metadata: { name, labels },
      spec: { ...spec, nodeName: undefined, nodeSelector: { pool: 'none' } },
    };
    await cluster.send({ method: 'POST', path: pathOf({ id: '' }).slice(0, -1), body });
    expect(await provide().attach?.(sessionId)).toBeUndefined();
    await expect.poll(async () => exists(name)).toBe(false);
  });

  it('of another version is refused by its version, and stays', async () => {
    const sessionId = randomUUID();
    const sandbox = await create(sessionId);
    const path = pathOf(sandbox);
    const label = '/metadata/labels/sandboxed-ptc.version';
    await cluster.send({
      method: 'PATCH',
      path,
      body: [{ op: 'replace', path: label, value: '0' }],
    });
    await expect(provide().attach?.(sessionId)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(
        `of version 0, and this process needs version ${POD_VERSION}`,
      ),
      details: { sessionId, sandboxId: sandbox.id, version: '0' },
    });
    const client = new SandboxClient(sandbox);
    expect(await greet(client)).toMatchObject({ kind: 'attached' });
  });

  it('that does not say how many hosts have had it is refused, and not asked for ever', async () => {
    const sessionId = randomUUID();
    const sandbox = await create(sessionId);
    const annotations = { 'sandboxed-ptc.epoch': null };
    await admin.send('PATCH', pathOf(sandbox), { metadata: { annotations } });
    await expect(provide().attach?.(sessionId)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('its annotation sandboxed-ptc.epoch is missing. Delete it'),
      details: { sandboxId: sandbox.id },
    });
    expect(await exists(sandbox.id)).toBe(true);
  });

  it('is judged by its host, also by others', async () => {
    const sandbox = await create(randomUUID());
    const verdicts = async (): Promise<unknown> => {
      const found = (await provide().findSandboxes?.()) ?? [];
      return found.find(({ id }) => id === sandbox.id);
    };
    expect(await verdicts()).toMatchObject({
      verdict: 'persistent',
      owner: { processId: process.pid },
    });
    expect(await provide().removeOrphans?.()).toEqual([]);
    expect(await exists(sandbox.id)).toBe(true);
  });
});
