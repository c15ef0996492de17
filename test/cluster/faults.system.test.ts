import { expect, inject, it, onTestFinished } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import type { Session } from '../../src/sessions/executor.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ClusterApi } from './api.ts';
import { useNamespace } from './installed.ts';

const { kubeconfig } = inject('cluster');
const admin = new ClusterApi(kubeconfig);

/** A program that says when it runs, and then takes long. */
const LONG = "import time\nprint('started', flush=True)\ntime.sleep(3600)";

/** A session in a namespace. It ends with the test. */
async function sessionIn(namespace: string): Promise<Session> {
  const provider = kubernetesProvider({ namespace });
  const executor = new SandboxExecutor({ provider });
  onTestFinished(async () => {
    await executor.close();
    await provider.close();
  });
  return executor.acquire({});
}

/** Runs a long program, and does something when it has started. */
async function during(session: Session, act: () => Promise<unknown>): Promise<ExecutionResult> {
  let acting: Promise<unknown> | undefined;
  const result = await session.execute(LONG, {
    timeoutMs: 280_000,
    onEvent: ({ type }) => {
      if (type === 'output-delta') acting ??= act();
    },
  });
  await acting;
  return result;
}

describeWithEngine('a program whose pod', () => {
  const namespaceOf = useNamespace();

  it('is evicted ends with it', async () => {
    const namespace = namespaceOf();
    const session = await sessionIn(namespace);
    const name = (await session.info())?.sandboxId ?? '';
    const body = { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name, namespace } };
    const evict = async (): Promise<unknown> =>
      admin.send('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body);
    expect(await during(session, evict)).toMatchObject({
      status: 'sandbox-lost',
      stdout: 'started\n',
      sessionOpen: false,
    });
  });

  it('is past its deadline ends with it, in the words of the cluster', async () => {
    const namespace = namespaceOf();
    const session = await sessionIn(namespace);
    const name = (await session.info())?.sandboxId ?? '';
    // It has run for longer than this, which counts from its start.
    const body = { spec: { activeDeadlineSeconds: 1 } };
    const setDeadline = async (): Promise<unknown> =>
      admin.send('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}`, body);
    expect(await during(session, setDeadline)).toMatchObject({
      status: 'sandbox-lost',
      sessionOpen: false,
      error: { message: expect.stringContaining('DeadlineExceeded') },
    });
  });
});
