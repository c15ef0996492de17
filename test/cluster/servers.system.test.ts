import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import { keyLeaseName, readKeyLease } from '../../src/providers/kubernetes/keys/key-lease.ts';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { sessionIdOf } from '../../src/sessions/session/shared-session.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { useNamespace } from './installed.ts';
import { type KeyHost, startHost } from './keys/key-hosts.ts';
import { killServer, signalServer } from './kill-server.ts';
import { type ClusterOfTests, startCluster } from './start-cluster.ts';

const CALLS = 1000;
const FEWER_CALLS = 100;
const PROGRAM = `
total = 0
for number in range(${CALLS}):
    total += await add_one(number=number)
    if number % 100 == 0:
        print(number)
print(total)
`;
const KEPT = `kept = 0\nfor number in range(${FEWER_CALLS}):\n    kept = await add_one(number=number)`;
/** So long that no key is lost because its host gets no answer, however long a server takes to start. */
const KEYS = { times: { renewMs: 1000, staleMs: 200_000 } };
const WAIT_MS = 200_000;

// Files run side by side. So these tests kill the servers of a cluster that no other file uses.
describeWithEngine('in a cluster whose servers end', () => {
  let cluster: ClusterOfTests;
  let directory: string;
  let admin: ClusterApi;

  beforeAll(async () => {
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'own-cluster-')));
    const started = await startCluster({
      SANDBOXED_PTC_CLUSTER_DIRECTORY: join(parent, 'cluster'),
    });
    ({ cluster } = started);
    directory = dirname(dirname(cluster.kubeconfig));
    admin = new ClusterApi(cluster.kubeconfig);
    return async () => {
      await started.end();
      await rm(parent, { recursive: true });
    };
  });
  const namespaceOf = useNamespace({ cluster: () => cluster });

  function make(options: SandboxExecutorOptions = {}): SandboxExecutor {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    const executor = new SandboxExecutor({ provider, ...options });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    return executor;
  }

  /** What a program without a session prints, and the calls that were made for it. */
  async function runProgram(kill: () => void): Promise<[ExecutionResult, readonly number[]]> {
    const made: number[] = [];
    const addOne = addOneAfter((number) => {
      made.push(number);
      if (number === 150 || number === 600) kill();
    });
    const result = await make({ tools: [addOne] }).execute(PROGRAM, { timeoutMs: 240_000 });
    return [result, made];
  }

  /** A persistent session that makes half of its calls before the servers are killed. */
  async function startPersistent(killed: Promise<void>): Promise<{ goesOn: () => Promise<void> }> {
    const wanted = { sessionKey: randomUUID(), persistent: true, sessionWaitMs: WAIT_MS };
    const made: number[] = [];
    const isHalf = createDeferred<void>();
    const addOne = addOneAfter(async (number) => {
      if (made.push(number) !== FEWER_CALLS / 2) return;
      isHalf.resolve();
      await killed;
    });
    const session = await make({ tools: [addOne] }).acquire(wanted);
    const running = session.execute(KEPT, { timeoutMs: WAIT_MS });
    await Promise.race([isHalf.promise, running]);
    const goesOn = async (): Promise<void> => {
      expect(await running).toMatchObject({ status: 'ok', toolCalls: FEWER_CALLS });
      expect(made).toEqual(Array.from({ length: FEWER_CALLS }, (_, index) => index));
      await session.release();
      const next = await make().acquire(wanted);
      expect(next.acquired).toMatchObject({ resumed: 'idle' });
      expect(await next.execute('print(kept)')).toMatchObject({ stdout: `${FEWER_CALLS}\n` });
      await next.destroy();
    };
    return { goesOn };
  }

  /** A key that one host has and another waits for. */
  async function startKey(): Promise<{ goesOn: () => Promise<void> }> {
    const key = randomUUID();
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${keyLeaseName(sessionIdOf(key))}`;
    const [one, two] = (await Promise.all(
      ['http://one', 'http://two'].map(async (url) => startHost(url, cluster.kubeconfig, KEYS)),
    )) as [KeyHost, KeyHost];
    onTestFinished(async () => void (await Promise.all([one.end(), two.end()])));
    expect(await one.tell('acquire', { key })).toEqual({ isNew: true });
    await one.tell('execute', { key, code: 'kept = 1' });
    const waiting = two.tell('acquire', { key, waitMs: WAIT_MS });
    const answers = async (): Promise<unknown> =>
      readKeyLease(await admin.send('GET', path))?.requests.map(({ answer }) => answer);
    await expect.poll(answers).toEqual(['in use']);
    const goesOn = async (): Promise<void> => {
      const look = { key, code: 'print(kept)' };
      expect(await one.tell('execute', look)).toMatchObject({ stdout: '1\n' });
      await one.tell('release', { key });
      expect(await waiting).toEqual({ isNew: true });
      expect(await one.tell('closing', { key })).toBe('handed-over');
      await two.tell('destroy', { key });
    };
    return { goesOn };
  }

  it.each([
    { what: 'the API server is killed', servers: ['kube-apiserver'] },
    { what: 'the kubelet is killed', servers: ['kubelet'] },
    { what: 'etcd and then the API server are killed', servers: ['etcd', 'kube-apiserver'] },
  ])(
    'a program makes each call once and prints each line once although $what, and sessions and keys go to the next host [kubernetes/cut]',
    async ({ servers }) => {
      const killed = createDeferred<void>();
      const [persistent, key] = await Promise.all([startPersistent(killed.promise), startKey()]);
      const [result, made] = await runProgram(() => {
        for (const name of servers) killServer(directory, name);
        killed.resolve();
      });
      expect(result.error).toBeUndefined();
      expect(result).toMatchObject({ status: 'ok', stderr: '' });
      const hundreds = Array.from({ length: CALLS / 100 }, (_, index) => `${index * 100}\n`);
      expect(result.stdout).toBe(`${hundreds.join('')}${(CALLS * (CALLS + 1)) / 2}\n`);
      expect(made).toEqual(Array.from({ length: CALLS }, (_, index) => index));
      await Promise.all([persistent.goesOn(), key.goesOn()]);
    },
  );

  it('a program on a node that falls silent ends when it could not be reached for half a minute', async () => {
    const session = await make().acquire({});
    onTestFinished(() => signalServer(directory, 'kubelet', 'SIGCONT'));
    const running = session.execute("import time\nprint('started', flush=True)\ntime.sleep(3600)", {
      timeoutMs: 280_000,
      onEvent: ({ type }) => {
        if (type === 'output-delta') signalServer(directory, 'kubelet', 'SIGSTOP');
      },
    });
    expect(await running).toMatchObject({
      status: 'sandbox-lost',
      stdout: 'started\n',
      sessionOpen: false,
    });
    signalServer(directory, 'kubelet', 'SIGCONT');
    const next = await make().acquire({});
    expect(await next.execute('print(6 * 7)')).toMatchObject({ status: 'ok', stdout: '42\n' });
  });

  it('a program goes on while the data base of the API server is silent', async () => {
    const session = await make().acquire({});
    onTestFinished(() => signalServer(directory, 'etcd', 'SIGCONT'));
    signalServer(directory, 'etcd', 'SIGSTOP');
    expect(await session.execute('print(6 * 7)')).toMatchObject({ status: 'ok', stdout: '42\n' });
    signalServer(directory, 'etcd', 'SIGCONT');
    expect(await session.execute('print(6 * 7)')).toMatchObject({ status: 'ok', stdout: '42\n' });
  });
});

/** A tool that adds one, after something else was done. */
function addOneAfter(act: (number: number) => Promise<void> | void): Tool {
  return defineTool({
    name: 'add_one',
    description: 'Adds one.',
    inputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
    // A call may wait until another pod has started.
    timeoutMs: WAIT_MS,
    run: async ({ number }: { number: number }) => {
      await act(number);
      return number + 1;
    },
  });
}
