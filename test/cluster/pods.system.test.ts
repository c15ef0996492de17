import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi, type Pod } from './api.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const PODS = '/api/v1/namespaces/default/pods';

/** A pod that starts Python, and ends when its program does. */
function podOf(name: string, program: string): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsNonRoot: true, runAsUser: 20_000, runAsGroup: 20_000 },
      containers: [
        { name: 'code', image, imagePullPolicy: 'Never', command: ['python3', '-c', program] },
      ],
    },
  };
}

async function createPod(program: string): Promise<string> {
  const name = `pod-${randomUUID()}`;
  await admin.send('POST', PODS, podOf(name, program));
  onTestFinished(async () => void (await admin.request('DELETE', `${PODS}/${name}`)));
  return name;
}

async function phaseOf(name: string): Promise<string> {
  return ((await admin.send('GET', `${PODS}/${name}`)) as Pod).status.phase;
}

describeWithEngine('a pod of the sandbox image', () => {
  it('runs until it is deleted, and its log has what it printed', async () => {
    const name = await createPod('import time; print(6 * 7, flush=True); time.sleep(3600)');
    await expect.poll(() => phaseOf(name)).toBe('Running');
    const log = async (): Promise<string> =>
      (await admin.request('GET', `${PODS}/${name}/log`)).body;
    await expect.poll(log).toBe('42\n');
    await admin.send('DELETE', `${PODS}/${name}`);
    const status = async (): Promise<number> =>
      (await admin.request('GET', `${PODS}/${name}`)).status;
    await expect.poll(status).toBe(404);
  });

  it('that has ended says how', async () => {
    const name = await createPod('raise SystemExit(3)');
    await expect.poll(() => phaseOf(name)).toBe('Failed');
    const pod = await admin.request('GET', `${PODS}/${name}`);
    expect(pod.body).toContain('"exitCode":3');
  });

  it('reaches neither the machine nor another network', async () => {
    const program = `
import socket
print(sorted(name for _, name in socket.if_nameindex()))
# The first address of the pods' network, which a bridge with an address would have, and one beyond.
for address in "10.244.0.1", "192.0.2.1":
    try:
        socket.create_connection((address, 80), 30)
    except OSError as error:
        print(error.strerror)
`;
    const name = await createPod(program);
    await expect.poll(() => phaseOf(name)).toBe('Succeeded');
    const { body } = await admin.request('GET', `${PODS}/${name}/log`);
    expect(body).toBe("['eth0', 'lo']\nNo route to host\nNetwork is unreachable\n");
  });
});

it('the restricted user may only do what a role lets it', async () => {
  const restricted = new ClusterApi(restrictedKubeconfig);
  expect((await restricted.request('GET', PODS)).status).toBe(403);
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const metadata = { name: `see-pods-${randomUUID()}` };
  await admin.send('POST', `${roles}/roles`, {
    metadata,
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
  });
  await admin.send('POST', `${roles}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'restricted' }],
  });
  const status = async (): Promise<number> => (await restricted.request('GET', PODS)).status;
  await expect.poll(status).toBe(200);
  expect((await restricted.request('GET', '/api/v1/namespaces/default/secrets')).status).toBe(403);
});
