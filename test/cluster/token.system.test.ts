import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { Cluster } from '../../src/providers/kubernetes/cluster/cluster.ts';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { install } from './installed.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

/** A token of the account of hosts, which is known as long as an object of its own exists. */
async function issueToken(
  namespace: string,
): Promise<{ token: string; revoke: () => Promise<void> }> {
  const name = `token-${randomUUID()}`;
  const core = `/api/v1/namespaces/${namespace}`;
  await admin.send('POST', `${core}/secrets`, { metadata: { name } });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name };
  const answer = await admin.send('POST', `${core}/serviceaccounts/sandboxed-ptc/token`, {
    spec: { expirationSeconds: 3600, boundObjectRef },
  });
  const { token } = (answer as { status: { token: string } }).status;
  const revoke = async (): Promise<void> =>
    void (await admin.send('DELETE', `${core}/secrets/${name}`));
  return { token, revoke };
}

/** A kubeconfig whose user has a token in a file, as pods have it. */
async function useTokenFile(namespace: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ptc-token-'));
  const tokenFile = join(directory, 'token');
  const { clusters } = parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: readonly [{ name: string }];
  };
  const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
  const context = { cluster: clusters[0].name, user: 'a', namespace };
  const file = join(directory, 'config');
  const kinds = { apiVersion: 'v1', kind: 'Config', clusters, users: [{ name: 'a', user }] };
  const contexts = [{ name: 'a', context }];
  await writeFile(file, JSON.stringify({ ...kinds, contexts, 'current-context': 'a' }));
  vi.stubEnv('KUBECONFIG', file);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  });
  return tokenFile;
}

describeWithEngine('a host whose token was replaced and revoked', () => {
  it('goes on with the next one, and says so if there is none', async () => {
    const { namespace, remove } = await install(admin, { image });
    onTestFinished(remove);
    const tokenFile = await useTokenFile(namespace);
    const first = await issueToken(namespace);
    await writeFile(tokenFile, first.token);
    const provider = kubernetesProvider({ namespace });
    const executor = new SandboxExecutor({ provider });
    const stranger = await Cluster.find({});
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
      stranger.close();
    });
    const session = await executor.acquire({ sessionKey: 'kept' });
    expect(await session.execute('kept = 42')).toMatchObject({ status: 'ok' });
    await first.revoke();
    // The API server remembers for some seconds which tokens it knows.
    const path = `/api/v1/namespaces/${namespace}/podtemplates/sandboxed-ptc`;
    const ask = async (): Promise<unknown> => stranger.send({ method: 'GET', path });
    await expect
      .poll(async () => ask().catch((error: unknown) => error), { timeout: 200_000 })
      .toMatchObject({ reason: 'Unauthorized' });
    await expect(executor.acquire()).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('does not know this process'),
    });
    await writeFile(tokenFile, (await issueToken(namespace)).token);
    expect(await executor.execute('print(1)')).toMatchObject({ stdout: '1\n' });
    expect(await session.execute('print(kept)')).toMatchObject({ stdout: '42\n' });
    await session.destroy();
  });
});
