import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { killServer } from './kill-server.ts';
import { install, type Installed } from './installed.ts';

const CALLS = 1000;
const PROGRAM = `
total = 0
for number in range(${CALLS}):
    total += await add_one(number=number)
    if number % 100 == 0:
        print(number)
print(total)
`;

const { kubeconfig, image } = inject('cluster');
const directory = dirname(dirname(kubeconfig));

describeWithEngine('a program in a pod', () => {
  let installed: Installed;
  let provider: SandboxProvider;
  beforeAll(async () => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    installed = await install(new ClusterApi(kubeconfig), { image });
    provider = kubernetesProvider({ namespace: installed.namespace });
  });
  afterAll(async () => {
    await provider.close();
    await installed.remove();
    vi.unstubAllEnvs();
  });

  it.each([
    { what: 'the API server is killed', servers: ['kube-apiserver'] },
    { what: 'the kubelet is killed', servers: ['kubelet'] },
    { what: 'etcd and then the API server are killed', servers: ['etcd', 'kube-apiserver'] },
  ])(
    'makes each call once and prints each line once although $what [kubernetes/cut]',
    async ({ servers }) => {
      const made: number[] = [];
      const addOne = defineTool({
        name: 'add_one',
        description: 'Adds one.',
        inputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
        run: ({ number }: { number: number }) => {
          made.push(number);
          if (number === 150 || number === 600)
            for (const name of servers) killServer(directory, name);
          return number + 1;
        },
      });
      const executor = new SandboxExecutor({ provider, tools: [addOne] });
      const result = await executor.execute(PROGRAM, { timeoutMs: 240_000 });
      await executor.close();
      expect(result.error).toBeUndefined();
      expect(result).toMatchObject({ status: 'ok', stderr: '' });
      const hundreds = Array.from({ length: CALLS / 100 }, (_, index) => `${index * 100}\n`);
      expect(result.stdout).toBe(`${hundreds.join('')}${(CALLS * (CALLS + 1)) / 2}\n`);
      expect(made).toEqual(Array.from({ length: CALLS }, (_, index) => index));
    },
  );
});
