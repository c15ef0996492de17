import { WebSocketServer } from 'ws';
import type { PodFacts } from '../../../../src/providers/kubernetes/walls/facts.ts';
import type { Script } from '../cluster/scripted-server.ts';

/** Takes each connection to a pod as a sidecar does that has received nothing yet. */
export function sidecarThatSays(
  facts: () => PodFacts | undefined,
): NonNullable<Script['onUpgrade']> {
  const handleProtocols = (): string => 'v5.channel.k8s.io';
  const sockets = new WebSocketServer({ noServer: true, handleProtocols });
  return (request, raw, head) =>
    sockets.handleUpgrade(request, raw, head, (socket) => {
      socket.once('message', () => {
        socket.send(outputPacket('F', Buffer.from(JSON.stringify(facts()))));
        socket.send(outputPacket('W', Buffer.alloc(8)));
      });
    });
}

/** A packet as the standard output of a command. */
function outputPacket(kind: string, body: Buffer): Buffer {
  const start = Buffer.alloc(6);
  start.writeUInt8(1);
  start.write(kind, 1);
  start.writeUInt32BE(body.length, 2);
  return Buffer.concat([start, body]);
}
