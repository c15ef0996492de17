import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { jsonPieces } from '../../../shared/json/json-pieces.ts';
import type { Lines } from './file-lines.ts';

/** From how many bytes on lines are written before the next ones are made. */
const WRITTEN_BYTES = 2 ** 20;

/**
 * Appends each value as a line of JSON. Long lines are written in pieces, so that other work is
 * done between them.
 */
export async function appendLines(file: FileHandle, values: readonly object[]): Promise<Lines> {
  let bytes = 0;
  let lastStart = 0;
  let hash = createHash('sha256');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const write = async (): Promise<void> => {
    const written = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    await file.appendFile(written);
  };
  const add = (text: string): void => {
    const piece = Buffer.from(text);
    hash.update(piece);
    bytes += piece.length;
    waiting.push(piece);
    waitingBytes += piece.length;
  };
  for (const value of values) {
    lastStart = bytes;
    hash = createHash('sha256');
    for (const piece of jsonPieces(value)) {
      add(piece);
      if (waitingBytes >= WRITTEN_BYTES) await write();
    }
    add('\n');
  }
  if (waitingBytes > 0) await write();
  return { bytes, lastStart, lastDigest: hash.digest('base64') };
}
