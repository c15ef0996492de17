import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Cluster } from '../../../../src/providers/kubernetes/cluster/cluster.ts';
import { podSoftware } from '../../../../src/providers/kubernetes/start/pod-software.ts';
import type { SandboxSoftware } from '../../../../src/sandbox/software/software.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { clusterServedBy } from '../cluster/scripted-server.ts';

const ANSWER = '{"python":{"version":"3.12.1","libraries":[["numpy","2.0.0"]]}}\n';
const SOFTWARE = {
  python: { name: 'Python', version: '3.12.1', libraries: [{ name: 'numpy', version: '2.0.0' }] },
};

/** A cluster in whose pods each command does the next of these. */
async function clusterThat(
  ...commands: readonly ((say: (text: string) => void, raw: Duplex, end: () => void) => void)[]
): Promise<Cluster> {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: () => 'v5.channel.k8s.io',
  });
  const next = commands.values();
  return clusterServedBy(
    () => undefined,
    (request, raw, head) =>
      sockets.handleUpgrade(request, raw, head, (socket) => {
        const say = (text: string): void => socket.send(`\u0001${text}`);
        next.next().value?.(say, raw, () => socket.close(1000));
      }),
  );
}

/** Asks a pod that runs already. @param onClose - Called when the pod is ended. */
async function ask(
  cluster: Cluster,
  signal?: AbortSignal,
  onClose = (): void => undefined,
): Promise<SandboxSoftware | undefined> {
  const containers = [{ name: 'code', image: 'sandbox:1' }];
  const metadata = { name: 'a', uid: 'b', resourceVersion: '1', creationTimestamp: '' };
  const options = { namespace: 'agents', guests: [], owner: '', without: [], startMs: 1000 };
  const template = { metadata, template: { spec: { containers } } };
  const pod = { id: 'pod', close: async () => onClose() };
  return podSoftware(cluster, { ...options, template, signal }, async () => pod as never);
}

it('a pod whose connection is cut before its command has ended is asked again', async () => {
  const cluster = await clusterThat(
    (_say, raw) => void raw.destroy(),
    (say, raw) => {
      say(ANSWER.slice(0, 20));
      raw.end();
    },
    (say, _raw, end) => {
      say(ANSWER.slice(0, 20));
      say(ANSWER.slice(20));
      end();
    },
  );
  expect(await ask(cluster)).toBeUndefined();
  expect(await ask(cluster)).toBeUndefined();
  expect(await ask(cluster)).toEqual(SOFTWARE);
});

it('a question that is aborted does not wait for the answer, and ends its pod', async () => {
  const asked = createDeferred<void>();
  const cluster = await clusterThat(() => asked.resolve());
  const asking = new AbortController();
  let isClosed = false;
  const asks = ask(cluster, asking.signal, () => (isClosed = true));
  await asked.promise;
  asking.abort(new Error('not needed any more'));
  await expect(asks).rejects.toThrow('not needed any more');
  expect(isClosed).toBe(true);
});
