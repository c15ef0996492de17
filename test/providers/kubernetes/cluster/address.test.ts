import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  Cluster,
  type ClusterOptions,
} from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import { SERVICE_ACCOUNT } from '../../../../src/providers/kubernetes/cluster/in-pod.ts';

/** An empty home directory, outside of a pod. */
function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'ptc-home-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
  return home;
}

const MISSING = {
  code: 'SANDBOX_UNAVAILABLE',
  message: expect.stringContaining(
    'No kubeconfig was found, and this process does not run in a pod',
  ),
};

it.each<ClusterOptions>([{}, { context: 'a' }])(
  'without a kubeconfig and a pod, that is said, with the options %j',
  async (options) => {
    newHome();
    await expect(Cluster.find(options)).rejects.toMatchObject(MISSING);
  },
);

it('without a kubeconfig and a pod, that is said, although there is the token of one', async () => {
  newHome();
  const { accessSync } = fs;
  const access = vi.spyOn(fs, 'accessSync').mockImplementation((path, mode) => {
    if (path !== `${SERVICE_ACCOUNT}/token`) accessSync(path, mode);
  });
  onTestFinished(() => access.mockRestore());
  await expect(Cluster.find({})).rejects.toMatchObject(MISSING);
});

it.each(['http://localhost:8080', '10.0.0.1:6443'])(
  'the address %s of a kubeconfig is refused, and not asked',
  async (server) => {
    const file = join(newHome(), 'config');
    const config = {
      clusters: [{ name: 'a', cluster: { server } }],
      users: [{ name: 'a', user: { token: 'a token' } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    };
    writeFileSync(file, JSON.stringify(config));
    vi.stubEnv('KUBECONFIG', file);
    await expect(Cluster.find({})).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(`address ${server}, which must begin with https://`),
    });
  },
);
