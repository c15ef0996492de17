import { beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../../../src/providers/kubernetes/manifests/manifest.ts';
import { manifests } from '../../../../src/providers/kubernetes/manifests/manifests.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';

/** What etcd and the API server take of a ConfigMap, names and all. */
const MOST_BYTES = 1024 * 1024;

let items: readonly Manifest[];
beforeAll(async () => {
  items = manifests(await readRunnerFiles(), {
    namespace: 'agents',
    image: 'sandbox:1',
    name: 'sandboxed-ptc',
    limits: DEFAULT_LIMITS,
    sandboxes: 10,
    pool: { size: 3, languages: ['python', 'bash'] },
  });
});

function item(kind: string): Manifest | undefined {
  return items.find((one) => one.kind === kind);
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

  it('limit what all sandboxes use together', () => {
    expect(item('ResourceQuota')?.['spec']).toEqual({
      hard: { pods: '10', 'limits.memory': '3200Mi', 'limits.cpu': '10000m' },
    });
  });
});
