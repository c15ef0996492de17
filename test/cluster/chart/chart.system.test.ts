import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kubernetesProvider } from '../../../src/providers/kubernetes/index.ts';
import {
  type Manifest,
  type ManifestOptions,
  manifests,
} from '../../../src/providers/kubernetes/manifests/manifests.ts';
import { readRunnerFiles } from '../../../src/providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { requireBuild } from '../../support/built-package.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { HELM } from './install.mjs';

const CHART = 'dist/helm/sandboxed-ptc.tgz';
const SOURCES = 'deploy/helm/sandboxed-ptc';
const { kubeconfig, image } = inject('cluster');

/** Runs Helm as the administrator of the cluster. @returns what it printed. @throws what it said, if it fails. */
async function helm(...args: readonly string[]): Promise<string> {
  requireBuild();
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const { stdout } = await promisify(execFile)(HELM, args, { env, maxBuffer: 2 ** 24 });
  return stdout;
}

/** The objects of the chart, by their kinds. */
async function rendered(values: object): Promise<Readonly<Record<string, Manifest>>> {
  const text = await helm('template', 'any', CHART, '-n', 'agents', ...set(values));
  return byKind(parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

function set(values: object): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [
    '--set-json',
    `${name}=${JSON.stringify(value)}`,
  ]);
}

async function printed(options: Partial<ManifestOptions>): Promise<Record<string, Manifest>> {
  const objects = manifests(await readRunnerFiles(), {
    namespace: 'agents',
    image: 'sandbox:1',
    name: 'sandboxed-ptc',
    limits: DEFAULT_LIMITS,
    sandboxes: 100,
    ...options,
  });
  // Helm makes namespaces itself, or none.
  return byKind(objects.filter(({ kind }) => kind !== 'Namespace'));
}

/** There is one of each. */
function byKind(objects: readonly Manifest[]): Record<string, Manifest> {
  const found = Object.fromEntries(objects.map((one) => [one.kind, one]));
  expect(Object.keys(found)).toHaveLength(objects.length);
  return found;
}

/** What a test looks at. */
interface Template {
  readonly template: { readonly spec: Readonly<Record<string, unknown>> };
}

describe('the Helm chart', () => {
  it.each([
    ['as it is', {}, {}],
    ['with other limits', { memoryBytes: 2 ** 30, cpus: 1.25 }, { sandboxes: 7 }],
    ['with sizes that are no mebibytes', { memoryBytes: 300_000_001, cpus: 0.0125 }, {}],
  ])('renders the objects that `cluster manifests` prints, %s', async (_name, limits, others) => {
    const values = { image: 'sandbox:1', ...others, limits };
    const options = { ...others, limits: { ...DEFAULT_LIMITS, ...limits } };
    expect(await rendered(values)).toEqual(await printed(options));
  });

  it('adds to the pods of sandboxes which nodes take them', async () => {
    const { PodTemplate } = await printed({});
    const { template } = PodTemplate as unknown as Template;
    const added = { nodeSelector: { pool: 'sandboxes' }, runtimeClassName: 'gvisor' };
    const toleration = { key: 'sandboxes', operator: 'Exists' };
    const pod = { ...added, tolerations: [toleration] };
    const objects = await rendered({ image: 'sandbox:1', pod });
    const tolerations = [...(template.spec['tolerations'] as object[]), toleration];
    const spec = { ...template.spec, ...added, tolerations };
    expect(objects['PodTemplate']).toEqual({ ...PodTemplate, template: { ...template, spec } });
  });

  it.each([
    ['no image', {}, /image/],
    ['a value that it does not have', { image: 'sandbox:1', sandboxs: 7 }, /sandboxs/],
    [
      'a setting that would weaken pods',
      { image: 'sandbox:1', pod: { hostNetwork: true } },
      /hostNetwork/,
    ],
  ])('refuses %s', async (_name, values, named) => {
    await expect(rendered(values)).rejects.toThrow(named);
  });
});

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
