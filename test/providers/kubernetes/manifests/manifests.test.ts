import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Manifest } from '../../../../src/providers/kubernetes/manifests/manifest.ts';
import { manifests } from '../../../../src/providers/kubernetes/manifests/manifests.ts';
import type { PodSpec, PodTemplate } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { readQuantity } from '../../../../src/providers/kubernetes/pod/quantities.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';

/** What etcd and the API server take of a ConfigMap, names and all. */
const MOST_BYTES = 1024 * 1024;

let items: readonly Manifest[];
beforeAll(async () => {
  items = await manifestsFor(10);
});

async function manifestsFor(
  sandboxes: number,
  limits = DEFAULT_LIMITS,
): Promise<readonly Manifest[]> {
  return manifests(await readRunnerFiles(), {
    namespace: 'agents',
    image: 'sandbox:1',
    name: 'sandboxed-ptc',
    limits,
    sandboxes,
    pool: { size: 3, languages: ['python', 'bash'] },
  });
}

function item(kind: string, all = items): Manifest | undefined {
  return all.find((one) => one.kind === kind);
}

/** What a quota allows, as numbers. */
function amountsOf(hard: Readonly<Record<string, string>>): Record<string, number | undefined> {
  return Object.fromEntries(
    Object.entries(hard).map(([name, amount]) => [name, readQuantity(amount)]),
  );
}

describe('the manifests', () => {
  it('have a ConfigMap that is not too large, and cannot be changed', () => {
    const map = item('ConfigMap');
    expect(map?.['immutable']).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(map))).toBeLessThan(0.9 * MOST_BYTES);
    expect(JSON.stringify(item('PodTemplate'))).toContain(map?.metadata.name);
  });

  it('give hosts no more rights than they use [kubernetes/rights]', () => {
    const rules = item('Role')?.['rules'] as { resources: string[]; verbs: string[] }[];
    const given = Object.fromEntries(rules.map((rule) => [rule.resources.join(), rule.verbs]));
    expect(given['pods/exec']).toEqual(['create', 'get']);
    expect(Object.keys(given).join()).not.toMatch(/secrets|configmaps|roles|\*/);
    expect(JSON.stringify(rules)).not.toContain('"*"');
  });

  it('let the pods of sandboxes reach nothing, but say nothing of hosts', () => {
    expect(item('NetworkPolicy')?.['spec']).toEqual({
      podSelector: { matchExpressions: [{ key: 'sandboxed-ptc.session', operator: 'Exists' }] },
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it.each([
    [0.5, '60m'],
    [0.0125, '13m'],
  ])('request no more processors than the limit, which is %d', async (cpus, requested) => {
    const template = item('PodTemplate', await manifestsFor(10, { ...DEFAULT_LIMITS, cpus }));
    const { spec } = (template as unknown as PodTemplate).template;
    const code = spec.containers.find(({ name }) => name === 'code');
    expect(code?.resources?.requests?.['cpu']).toBe(requested);
  });

  it('limit what all sandboxes use together', () => {
    expect(item('ResourceQuota')?.['spec']).toEqual({
      hard: { pods: '10', 'limits.memory': '3200Mi', 'limits.cpu': '10000m' },
    });
  });
});

describe('the Deployment of hosts on the page about clusters', () => {
  interface Deployment {
    readonly metadata: { readonly namespace: string };
    readonly spec: { readonly replicas: number; readonly template: { readonly spec: PodSpec } };
  }
  let page: string;
  let deployment: Deployment;
  beforeAll(async () => {
    page = await readFile(new URL('../../../../docs/cluster.md', import.meta.url), 'utf8');
    const [, text = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    deployment = parse(text) as Deployment;
  });

  it('has the account of the namespace, and is restricted', () => {
    const { metadata, spec } = deployment;
    const pod = spec.template.spec;
    expect(metadata.namespace).toBe(item('Namespace')?.metadata.name);
    expect(pod['serviceAccountName']).toBe(item('ServiceAccount')?.metadata.name);
    expect(pod['securityContext']).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('has the limits that the quota asks for, and room beside 100 sandboxes, also while it is updated', async () => {
    const { replicas, template } = deployment.spec;
    const quotaOf = async (sandboxes: number): Promise<Record<string, number | undefined>> => {
      const spec = item('ResourceQuota', await manifestsFor(sandboxes))?.['spec'];
      return amountsOf((spec as { hard: Record<string, string> }).hard);
    };
    const needed = await quotaOf(100);
    const pods = replicas + 1;
    for (const { resources } of template.spec.containers) {
      const { cpu = '', memory = '' } = resources?.limits ?? {};
      const host = amountsOf({ 'limits.cpu': cpu, 'limits.memory': memory, pods: '1' });
      for (const [name, amount = Number.NaN] of Object.entries(host)) {
        needed[name] = (needed[name] ?? 0) + pods * amount;
      }
    }
    const written = /`pods: '(\d+)'`, `limits\.memory: (\w+)` and `limits\.cpu: '(\d+)'`/.exec(
      page,
    );
    const [, count = '', memory = '', cpu = ''] = written ?? [];
    expect(amountsOf({ pods: count, 'limits.memory': memory, 'limits.cpu': cpu })).toEqual(needed);
    const more = Number(/`sandboxes`, by (\d+) for these hosts/.exec(page)?.[1]);
    for (const [name, amount = 0] of Object.entries(await quotaOf(100 + more))) {
      expect(amount).toBeGreaterThanOrEqual(needed[name] ?? Number.NaN);
    }
  });
});
