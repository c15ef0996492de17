import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, inject, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { CLI, requireBuild, StartedProcess, startNode } from '../support/built-package.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { install } from './installed.ts';

const { kubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

interface Token {
  readonly status: { readonly token: string };
}

/** What the kubelet gives a pod, in a directory. */
async function serviceAccount(namespace: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ptc-account-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/sandboxed-ptc/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = (await admin.send('POST', path, body)) as Token;
  const config = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { 'certificate-authority-data': string } }];
  };
  const authority = config.clusters[0].cluster['certificate-authority-data'];
  await writeFile(join(directory, 'token'), status.token);
  await writeFile(join(directory, 'namespace'), namespace);
  await writeFile(join(directory, 'ca.crt'), Buffer.from(authority, 'base64'));
  return directory;
}

/** Runs the command as in a pod: with these files at their place. */
function inPod(directory: string, args: readonly string[]): StartedProcess {
  requireBuild();
  const { hostname, port } = new URL(admin.server);
  const place = '/run/secrets/kubernetes.io/serviceaccount';
  const prepare = `mount -t tmpfs tmpfs /run && mkdir -p ${place} && mount --bind "$0" ${place} && exec "$@"`;
  return new StartedProcess(
    'unshare',
    ['--mount', 'sh', '-c', prepare, directory, process.execPath, CLI, ...args],
    { env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port } },
  );
}

describeWithEngine('the example', () => {
  it('runs with a kubeconfig', async () => {
    const { namespace, remove } = await install(admin, { image });
    onTestFinished(remove);
    const env = { KUBECONFIG: kubeconfig, NAMESPACE: namespace };
    const { status, stdout, stderr } = await startNode(['examples/cluster.mjs'], {
      env,
    }).finished();
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'ok 245\n\n', stderr: '' });
  });
});

describeWithEngine('a process in a pod', () => {
  it('takes the cluster with auto, as its service account', async () => {
    const { namespace, remove } = await install(admin, { image });
    onTestFinished(remove);
    const directory = await serviceAccount(namespace);
    const program = join(directory, 'program.py');
    await writeFile(program, "import os\nprint(os.path.isdir('/opt/sandboxed-ptc-runner'))");
    const { status, stdout } = await inPod(directory, ['exec', program]).finished();
    // Only pods have the directory.
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'True\n' });
  });

  it('does not take it without a template, although there is a kubeconfig', async () => {
    const namespace = 'default';
    const account = { metadata: { name: 'sandboxed-ptc' } };
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await admin.send('POST', accounts, account);
    onTestFinished(async () => void (await admin.send('DELETE', `${accounts}/sandboxed-ptc`)));
    const directory = await serviceAccount(namespace);
    const { stdout } = await inPod(directory, ['doctor']).finished();
    expect(stdout).toMatch(/^kubernetes +no\s[^]*cannot\s+get\s+resource\s+"podtemplates"/m);
    expect(stdout).not.toMatch(/auto chooses kubernetes/);
  });
});
