import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type {
  Manifest,
  ManifestOptions,
} from '../../../src/providers/kubernetes/manifests/manifest.ts';
import { manifests } from '../../../src/providers/kubernetes/manifests/manifests.ts';
import { readRunnerFiles } from '../../../src/providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';
import { requireBuild } from '../../support/built-package.ts';
import { HELM } from './install.mjs';

export const CHART = 'dist/helm/sandboxed-ptc.tgz';

/** Runs Helm. @returns what it printed. @throws what it said, if it fails. */
export async function helm(
  args: readonly string[],
  own: Readonly<Record<string, string>> = {},
): Promise<string> {
  requireBuild();
  const env = { ...process.env, ...own };
  const { stdout } = await promisify(execFile)(HELM, args, { env, maxBuffer: 2 ** 24 });
  return stdout;
}

/** The objects of the chart, by their kinds. */
async function rendered(values: object): Promise<Readonly<Record<string, Manifest>>> {
  const text = await helm(['template', 'any', CHART, '-n', 'agents', ...set(values)]);
  return byKind(parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

/** Values of the chart, as arguments. */
export function set(values: object): readonly string[] {
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
    pool: { size: 0, languages: ['python'] },
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

/** Compares the chart with `manifests`. It needs Helm, and no cluster. */
export function describeChart(): void {
  describe('the Helm chart', () => {
    it.each([
      ['as it is', {}, {}],
      ['with other limits', { memoryBytes: 2 ** 30, cpus: 1.25 }, { sandboxes: 7 }],
      ['with sizes that are not mebibytes', { memoryBytes: 300_000_001, cpus: 0.0125 }, {}],
    ])('renders the objects that `cluster manifests` prints, %s', async (_name, limits, others) => {
      const values = { image: 'sandbox:1', ...others, limits };
      const options = { ...others, limits: { ...DEFAULT_LIMITS, ...limits } };
      expect(await rendered(values)).toEqual(await printed(options));
    });

    it('renders the same pool', async () => {
      const pool = { size: 12, languages: ['typescript', 'python'] } as const;
      const objects = await rendered({ image: 'sandbox:1', pool });
      expect(objects['PodTemplate']).toEqual((await printed({ pool }))['PodTemplate']);
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
}
