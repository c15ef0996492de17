import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import { execChannel } from '../../../../src/providers/kubernetes/cluster/exec-channel.ts';
import { driveTimeLimits } from '../../../support/driven-time-limits.ts';
import { connect } from '../streams/connect.ts';
import { sidecarThatSays } from '../streams/scripted-sidecar.ts';
import { confirmedFacts } from '../walls/confirmed-facts.ts';
import { type Answer, object, refusal, scriptedServer } from './scripted-server.ts';

const PODS = '/api/v1/namespaces/agents/pods';
const TARGET = { namespace: 'agents', pod: 'a', container: 'sidecar', command: ['relay'] };
const FACTS = { code: confirmedFacts(1000), reached: [] };
const LISTENER = { data: (): void => {}, closed: (): void => {} };

/** A cluster whose kubeconfig names a program that prints the token. */
interface WithPlugin {
  readonly cluster: Cluster;
  /** How often the program was started. */
  readonly starts: () => number;
  readonly setToken: (token: string) => void;
}

/** @param script - What the program does when it has noted that it was started. @param answer - Of the server. */
async function withPlugin(script: string, answer: Answer = object({})): Promise<WithPlugin> {
  await scriptedServer({ answers: [answer], onUpgrade: sidecarThatSays(() => FACTS) });
  const file = process.env['KUBECONFIG'] ?? '';
  const [noted, credential] = ['noted', 'credential'].map((name) => join(dirname(file), name));
  if (noted === undefined || credential === undefined) throw new Error('There are two names.');
  const setToken = (token: string): void => {
    const kind = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1' };
    writeFileSync(credential, JSON.stringify({ ...kind, status: { token } }));
  };
  setToken('a token');
  writeFileSync(noted, '');
  const args = ['-c', `echo >>"$0"; ${script}`, noted, credential];
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args };
  const config: object = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, users: [{ name: 'a', user: { exec } }] }));
  const cluster = await Cluster.find({});
  onTestFinished(() => cluster.close());
  return { cluster, starts: () => readFileSync(noted, 'utf8').length, setToken };
}

const PRINT = 'cat "$1"';
/** As if it waited for a login. It ends with this process. */
const HANG = 'cat';

it('a program that prints the token is started once for many requests', async () => {
  const { cluster, starts } = await withPlugin(PRINT);
  const send = async (): Promise<unknown> => cluster.send({ method: 'GET', path: PODS });
  await Promise.all(Array.from({ length: 20 }, send));
  await send();
  expect(starts()).toBe(1);
});

it('a program that failed is started again for the next request', async () => {
  const { cluster, starts } = await withPlugin('exit 1');
  for (const times of [1, 2]) {
    await expect(cluster.send({ method: 'GET', path: PODS })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    expect(starts()).toBe(times);
  }
});

it('a program that prints the token is started again, once, if many requests are refused', async () => {
  const knowsNext: Answer = (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer the next token';
    (isKnown ? object({}) : refusal(401, 'Unauthorized', 'Unauthorized'))(request, response);
  };
  const { cluster, starts, setToken } = await withPlugin(PRINT, knowsNext);
  await expect(cluster.send({ method: 'GET', path: PODS })).rejects.toMatchObject({
    reason: 'Unauthorized',
  });
  const before = starts();
  setToken('the next token');
  const all = Array.from({ length: 20 }, async () => cluster.send({ method: 'GET', path: PODS }));
  await Promise.all(all);
  expect(starts() - before).toBe(1);
});

it.each<[string, (cluster: Cluster, signal: AbortSignal) => Promise<unknown>]>([
  ['a request', async (cluster, signal) => cluster.send({ method: 'GET', path: PODS, signal })],
  ['a watch', async (cluster, signal) => cluster.watch(PODS, signal)],
  [
    'a connection to a pod',
    async (cluster, signal) => execChannel(cluster, TARGET)(LISTENER, signal),
  ],
])(
  '%s ends with its signal, although the program that prints the token hangs',
  async (_what, ask) => {
    const { cluster, starts } = await withPlugin(HANG);
    const controller = new AbortController();
    const asked = ask(cluster, controller.signal);
    const ended = asked.then(
      () => 'answered',
      () => 'ended',
    );
    await expect.poll(starts).toBe(1);
    controller.abort();
    expect(await ended).toBe('ended');
  },
);

/** Makes the pipe from which a program reads before it goes on. It is open until the end of the test. */
function openGate(): number {
  const pipe = join(dirname(process.env['KUBECONFIG'] ?? ''), 'credential.gate');
  execFileSync('mkfifo', [pipe]);
  const gate = openSync(pipe, 'r+');
  onTestFinished(() => closeSync(gate));
  return gate;
}

it('a connection to a pod is tried again if the program that prints the token takes longer than an attempt', async () => {
  const limits = driveTimeLimits();
  const { cluster, starts } = await withPlugin(`read -r line <"$1.gate"; ${PRINT}`);
  const gate = openGate();
  const connecting = connect(execChannel(cluster, TARGET));
  await expect.poll(starts).toBe(1);
  limits[0]?.end();
  await expect.poll(() => limits.map(({ ms }) => ms)).toEqual([10_000, 20_000]);
  writeSync(gate, 'go on\n');
  (await connecting).streams.close();
  expect(starts()).toBe(1);
});
