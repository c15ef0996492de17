import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/** The header type of a string, in the encoding of AWS event streams. */
const STRING_TYPE = 7;

/**
 * One message of an AWS event stream (`application/vnd.amazon.eventstream`): total and header length
 * with their checksum, the headers, the payload, and a checksum of all of it. Written from the format's
 * description and not with the client's own codec, so that the tests do not compare it with itself.
 */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => encodeHeader(name, value)),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.concat([uint32(16 + head.length + body.length), uint32(head.length)]);
  const message = Buffer.concat([prelude, uint32(crc32(prelude)), head, body]);
  return Buffer.concat([message, uint32(crc32(message))]);
}

function encodeHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  const nameLength = Buffer.from([Buffer.byteLength(name)]);
  return Buffer.concat([nameLength, Buffer.from(name), Buffer.from([STRING_TYPE]), length, text]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
