import { describe, expect, it } from 'vitest';
import { runCli } from '../support/built-package.ts';

describe('cluster manifests', () => {
  it('prints what a namespace needs, as one list', async () => {
    const args = ['cluster', 'manifests', '--namespace', 'agents', '--image', 'registry/sandbox:1'];
    const { status, stdout } = await runCli(args);
    expect(status).toBe(0);
    const { kind, items } = JSON.parse(stdout) as {
      kind: string;
      items: { kind: string; metadata: { name: string; namespace?: string } }[];
    };
    expect(kind).toBe('List');
    expect(items.map((item) => item.kind)).toEqual([
      ...['Namespace', 'ServiceAccount', 'Role', 'RoleBinding', 'NetworkPolicy'],
      ...['ResourceQuota', 'ConfigMap', 'PodTemplate'],
    ]);
    const [namespace, ...others] = items;
    expect(namespace?.metadata.name).toBe('agents');
    expect(others.every(({ metadata }) => metadata.namespace === 'agents')).toBe(true);
    expect(stdout).toContain('"image": "registry/sandbox:1"');
  });

  it('refuses a namespace that cannot be one', async () => {
    const args = ['cluster', 'manifests', '--namespace', 'My Agents', '--image', 'a'];
    const { status, stderr } = await runCli(args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^OPTION_INVALID: .*"My Agents"/);
  });
});
