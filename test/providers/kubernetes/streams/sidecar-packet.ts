/** A packet as a sidecar sends it. */
export function sidecarPacket(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** What a sidecar says first: its facts, and how much input it has. */
export const WELCOME: Buffer = Buffer.concat([
  sidecarPacket('F', Buffer.from('{}')),
  sidecarPacket('W', Buffer.alloc(8)),
]);
