import { PtcError } from '../../../shared/errors.ts';

// The packets between a host and the sidecar of its pod. `runner/sidecar/packets.py` describes
// them, and is the other side.

const VERSION = 1;

/** So much may be on its way in each direction without being confirmed. */
export const WINDOW_BYTES: number = 1024 * 1024;
/** The longest body. */
export const LONGEST_BODY_BYTES: number = 64 * 1024;

/** The kinds of packets that a host sends. */
export type HostKind = 'A' | 'D' | 'H' | 'M' | 'P';

/** A packet of the sidecar. */
export interface SidecarPacket {
  readonly kind: 'A' | 'E' | 'F' | 'M' | 'O' | 'P' | 'R' | 'W' | 'X';
  readonly body: Buffer;
}

const HEAD_BYTES = 5;
const NUMBER_BYTES = 8;
const KINDS: ReadonlySet<string> = new Set(['A', 'E', 'F', 'M', 'O', 'P', 'R', 'W', 'X']);

/** The bytes of a packet. */
export function packet(kind: HostKind, body: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  bytes.write(kind, 0, 'latin1');
  bytes.writeUInt32BE(body.length, 1);
  body.copy(bytes, HEAD_BYTES);
  return bytes;
}

/** The packet with which a host begins a connection. */
export function helloPacket(epoch: number, received: number): Buffer {
  return packet('H', numbers(VERSION, epoch, received));
}

/** The packet that confirms how much was received. */
export function confirmation(received: number): Buffer {
  return packet('A', numbers(received));
}

/** The number in a body. @throws PtcError `PROTOCOL_VIOLATION` */
export function numberIn({ kind, body }: SidecarPacket): number {
  const number = body.length === NUMBER_BYTES ? Number(body.readBigUInt64BE()) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw violation(`a packet ${kind} has no number`);
}

/** Finds the packets in the bytes of one connection. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0);

  /**
   * Takes the next bytes, and yields the packets that are complete.
   * @throws PtcError `PROTOCOL_VIOLATION`
   */
  *push(bytes: Buffer): Generator<SidecarPacket> {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let start = 0;
    while (all.length - start >= HEAD_BYTES) {
      const kind = all.toString('latin1', start, start + 1);
      const length = all.readUInt32BE(start + 1);
      if (!isKind(kind)) throw violation(`a packet has the unknown kind ${JSON.stringify(kind)}`);
      if (length > LONGEST_BODY_BYTES) throw violation(`a packet has ${length} bytes`);
      const end = start + HEAD_BYTES + length;
      if (all.length < end) break;
      const body = all.subarray(start + HEAD_BYTES, end);
      start = end;
      yield { kind, body };
    }
    this.#rest = all.subarray(start);
  }
}

/** The error for what no sidecar sends. */
export function violation(what: string): PtcError {
  return new PtcError(
    'PROTOCOL_VIOLATION',
    `The sidecar of the sandbox broke the protocol: ${what}.`,
  );
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * NUMBER_BYTES);
  values.forEach((value, index) => bytes.writeBigUInt64BE(BigInt(value), index * NUMBER_BYTES));
  return bytes;
}

function isKind(text: string): text is SidecarPacket['kind'] {
  return KINDS.has(text);
}
