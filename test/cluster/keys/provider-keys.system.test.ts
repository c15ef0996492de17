import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { boundToRestricted, install, type Installed, withoutRight } from '../installed.ts';
import { type KeyHost, startHost } from './key-hosts.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const WAIT_MS = 120_000;

describeWithEngine('hosts that have sandboxes in one namespace', () => {
  let installed: Installed;
  let hosts: readonly KeyHost[];
  let one: KeyHost;
  let two: KeyHost;

  beforeAll(async () => {
    installed = await install(admin, { image, change: boundToRestricted });
    const { namespace } = installed;
    [one, two] = await Promise.all([
      startHost('http://one', restrictedKubeconfig, { namespace }),
      startHost('http://two', restrictedKubeconfig, { namespace }),
    ]);
    hosts = [one, two];
  });
  afterAll(async () => {
    await Promise.all(hosts.map(async (host) => host.end()));
    await installed.remove();
  });

  it('exclude each other from a session, and give one that nobody uses to each other', async () => {
    const key = randomUUID();
    expect(await one.tell('acquire', { key })).toEqual({ isNew: true });
    expect(await one.tell('execute', { key, code: 'kept = 1' })).toMatchObject({ status: 'ok' });
    expect(await two.tell('acquire', { key })).toMatchObject({
      code: 'SESSION_HELD',
      details: { key, holder: one.url },
    });
    expect(await one.tell('execute', { key, code: 'print(kept)' })).toMatchObject({
      stdout: '1\n',
    });
    await one.tell('release', { key });
    expect(await two.tell('acquire', { key })).toEqual({ isNew: true });
    expect(await one.tell('closing', { key })).toBe('handed-over');
    expect(await two.tell('execute', { key, code: 'print(6 * 7)' })).toMatchObject({
      stdout: '42\n',
    });
    await two.tell('destroy', { key });
  });

  it('get the keys of a host that was killed', async () => {
    const key = randomUUID();
    expect(await one.tell('acquire', { key })).toEqual({ isNew: true });
    expect(await two.tell('acquire', { key })).toMatchObject({ code: 'SESSION_HELD' });
    const waiting = two.tell('acquire', { key, waitMs: WAIT_MS });
    await one.end();
    expect(await waiting).toEqual({ isNew: true });
    expect(await two.tell('execute', { key, code: 'print(1)' })).toMatchObject({ stdout: '1\n' });
    await two.tell('destroy', { key });
  });
});

it('a key is refused to an account that has no right to Leases, which doctor says before', async () => {
  const { namespace, remove } = await install(admin, {
    image,
    change: (manifest) => withoutRight('leases', boundToRestricted(manifest)),
  });
  vi.stubEnv('KUBECONFIG', restrictedKubeconfig);
  const provider = kubernetesProvider({ namespace });
  onTestFinished(async () => {
    await provider.close();
    await remove();
    vi.unstubAllEnvs();
  });
  const missing = ['create', 'get', 'list', 'watch', 'patch', 'delete'].map(
    (verb) => `${verb} leases`,
  );
  await expect
    .poll(async () => provider.probe())
    .toMatchObject({
      usable: false,
      reason: `in the namespace ${namespace}, this process may not ${missing.join(', ')}`,
    });
  await expect(provider.keys?.hold('a', { onAsked: () => true })).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(/cannot create resource "leases".*cluster manifests/),
  });
});
