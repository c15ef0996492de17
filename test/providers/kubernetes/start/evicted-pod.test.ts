import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { execChannel } from '../../../../src/providers/kubernetes/cluster/exec-channel.ts';
import { connectPod } from '../../../../src/providers/kubernetes/start/connect-pod.ts';
import { endOfPod, unlessEnded } from '../../../../src/providers/kubernetes/start/pod-end.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { object, type Script, scriptedServer } from '../cluster/scripted-server.ts';
import { connect } from '../streams/connect.ts';
import { WELCOME } from '../streams/sidecar-packet.ts';

const TARGET = { namespace: 'agents', pod: 'a', container: 'sidecar', command: ['relay'] };
const PATH = '/api/v1/namespaces/agents/pods/a';

const EVICTED = {
  metadata: {
    name: 'a',
    uid: 'b',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { containers: [] },
  status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' },
};

/** Refuses a connection as a kubelet that has evicted the pod. */
function refuse(raw: Duplex): void {
  const why = 'container not found ("sidecar")';
  raw.end(`HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${why.length}\r\n\r\n${why}`);
}

/** Opens one connection and cuts it, and refuses others. */
function cutAndRefuse(): NonNullable<Script['onUpgrade']> {
  const handleProtocols = (): string => 'v5.channel.k8s.io';
  const sockets = new WebSocketServer({ noServer: true, handleProtocols });
  let connections = 0;
  return (request, raw, head) => {
    connections += 1;
    if (connections > 1) {
      refuse(raw);
      return;
    }
    sockets.handleUpgrade(request, raw, head, (socket) =>
      socket.once('message', () => {
        socket.send(Buffer.concat([Buffer.from([1]), WELCOME]));
        raw.end();
      }),
    );
  };
}

describe('a pod that was evicted, and whose record stays,', () => {
  it('ends its session in the words of the cluster', async () => {
    const answers = [object({ status: { phase: 'Running' } }), object(EVICTED)];
    const { cluster } = await scriptedServer({ answers, onUpgrade: cutAndRefuse() });
    const place = { cluster, path: PATH };
    const open = unlessEnded(execChannel(cluster, TARGET), place);
    // Without the record, it would be tried for longer than the test takes.
    const { streams, end } = await connect(open, { patienceMs: 3_600_000 });
    streams.stdout.resume();
    expect(await endOfPod(place, await end)).toMatchObject({
      code: 'SANDBOX_LOST',
      message: 'The cluster ended the sandbox: Evicted: The node was low on memory.',
      details: { reason: 'Evicted' },
    });
  });

  it('is not tried again if it ends before its host has connected', async () => {
    const onUpgrade: Script['onUpgrade'] = (_, raw) => refuse(raw);
    const { cluster } = await scriptedServer({ answers: [object(EVICTED)], onUpgrade });
    const about = { limits: DEFAULT_LIMITS, users: { sidecar: 1, code: 2 }, without: [] };
    const connected = connectPod(
      { cluster, path: PATH, epoch: undefined },
      { namespace: 'agents', pod: EVICTED, ...about },
    );
    await expect(connected).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: 'The sandbox cannot be reached any more: the pod has ended (Failed).',
    });
  });
});
