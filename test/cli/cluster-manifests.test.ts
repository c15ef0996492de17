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

  it('says in the template how many pods hosts keep ready', async () => {
    const args = ['cluster', 'manifests', '--namespace', 'agents', '--image', 'a'];
    const { stdout } = await runCli([...args, '--pool', '7', '--pool-languages', 'bash,python']);
    const { items } = JSON.parse(stdout) as { items: { kind: string; metadata: object }[] };
    expect(items.find(({ kind }) => kind === 'PodTemplate')?.metadata).toMatchObject({
      annotations: {
        'sandboxed-ptc/pool-size': '7',
        'sandboxed-ptc/pool-languages': 'bash,python',
      },
    });
  });

  it('prints a warm pool of agent-sandbox in place of the template', async () => {
    const args = ['cluster', 'manifests', '--namespace', 'agents', '--image', 'a'];
    const { stdout } = await runCli([...args, '--pool', '7', '--agent-sandbox']);
    const { items } = JSON.parse(stdout) as { items: { kind: string; spec: object }[] };
    const kinds = items.map(({ kind }) => kind);
    expect(kinds.slice(-3)).toEqual(['ConfigMap', 'SandboxTemplate', 'SandboxWarmPool']);
    expect(items.at(-2)?.spec).toMatchObject({
      podTemplate: { spec: { hostUsers: false } },
      networkPolicy: {},
    });
    expect(items.at(-1)?.spec).toMatchObject({
      replicas: 7,
      sandboxTemplateRef: { name: 'sandboxed-ptc' },
    });
    const again = await runCli([...args, '--pool', '7', '--agent-sandbox']);
    expect(again.stdout).toBe(stdout);
  });

  it.each([
    ['--pool', 'many', /pool .*"many"/],
    ['--pool-languages', 'python,ruby', /pool-languages .*"python,ruby"/],
  ])('refuses %s %s', async (option, text, named) => {
    const args = ['cluster', 'manifests', '--namespace', 'agents', '--image', 'a'];
    const { status, stderr } = await runCli([...args, option, text]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(named) });
  });

  it('refuses a namespace that cannot be one', async () => {
    const args = ['cluster', 'manifests', '--namespace', 'My Agents', '--image', 'a'];
    const { status, stderr } = await runCli(args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^OPTION_INVALID: .*"My Agents"/);
  });
});
