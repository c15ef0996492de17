import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { CHART, describeChart, helm as runHelm, set } from './rendering.ts';

const SOURCES = 'deploy/helm/sandboxed-ptc';
const { kubeconfig, image } = inject('cluster');

/** Runs Helm as the administrator of the cluster. */
async function helm(...args: readonly string[]): Promise<string> {
  return runHelm(args, { KUBECONFIG: kubeconfig });
}

describeChart();

/** A copy of the chart, with another runner. */
async function otherVersion(): Promise<string> {
  const chart = await mkdtemp(join(tmpdir(), 'ptc-chart-'));
  onTestFinished(async () => rm(chart, { recursive: true }));
  await cp(SOURCES, chart, { recursive: true });
  const file = join(chart, 'files/runner.json');
  const runner = JSON.parse(await readFile(file, 'utf8')) as { texts: object };
  const texts = { ...runner.texts, 'another.py': '' };
  await writeFile(file, JSON.stringify({ ...runner, texts, hash: 'other' }));
  return chart;
}

describeWithEngine('an installed chart', () => {
  it('gives a namespace sandboxes, which go on after an upgrade, and end when it is uninstalled', async () => {
    const admin = new ClusterApi(kubeconfig);
    const namespace = `agents-${randomUUID()}`;
    const where = ['any', '--namespace', namespace];
    const notes = await helm('install', ...where, '--create-namespace', CHART, ...set({ image }));
    onTestFinished(async () => {
      await admin.send('DELETE', `/api/v1/namespaces/${namespace}`);
    });
    expect(notes).toContain(`kubectl label namespace ${namespace} `);
    vi.stubEnv('KUBECONFIG', kubeconfig);
    onTestFinished(() => void vi.unstubAllEnvs());
    const provider = kubernetesProvider({ namespace });
    const executor = new SandboxExecutor({ provider });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    const session = await executor.acquire({});
    await session.execute('answer = 6 * 7');
    await helm('upgrade', ...where, await otherVersion(), ...set({ image }));
    const result = await session.execute('print(answer)');
    expect(result).toMatchObject({ status: 'ok', stdout: '42\n', stderr: '' });
    const another = await executor.execute(`
import os
print(os.path.exists('/opt/sandboxed-ptc-runner/another.py'))`);
    expect(another).toMatchObject({ status: 'ok', stdout: 'True\n' });
    const running = session.execute('import time; time.sleep(1000)');
    await helm('uninstall', ...where);
    expect(await running).toMatchObject({ status: 'sandbox-lost' });
  });
});
