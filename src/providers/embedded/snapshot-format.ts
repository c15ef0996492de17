import { createHash } from 'node:crypto';

/**
 * A memory snapshot as it is stored and handed over: half of an interpreter's memory is zero, so only
 * the pages that are not are kept. The first four bytes are the full size, little-endian, then comes
 * one bit for each page, then the pages. In a file, a checksum comes before all that.
 */

const PAGE_SIZE = 4096;
const CHECKSUM_BYTES = 32;

/** Part of the file name: changes whenever the format does. */
export const SNAPSHOT_FORMAT = 1;

/** Leaves out the pages that are zero. `runner/embedded/worker/snapshot.mjs` puts them in again. */
export function compactSnapshot(snapshot: Buffer): Buffer {
  const zeros = Buffer.alloc(PAGE_SIZE);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(snapshot.length);
  const pageCount = Math.ceil(snapshot.length / PAGE_SIZE);
  const bitmap = Buffer.alloc(Math.ceil(pageCount / 8));
  const pages: Buffer[] = [];
  for (let index = 0; index < pageCount; index += 1) {
    const page = snapshot.subarray(index * PAGE_SIZE, (index + 1) * PAGE_SIZE);
    if (page.equals(zeros.subarray(0, page.length))) continue;
    bitmap.writeUInt8(bitmap.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
    pages.push(page);
  }
  return Buffer.concat([size, bitmap, ...pages]);
}

/** The bytes of a file for a compacted snapshot. */
export function sealSnapshot(snapshot: Buffer): Buffer {
  return Buffer.concat([checksum(snapshot), snapshot]);
}

/** The compacted snapshot in a file's bytes; undefined where the file is damaged. */
export function openSnapshot(file: Buffer): Buffer | undefined {
  const snapshot = file.subarray(CHECKSUM_BYTES);
  const isWhole =
    snapshot.length > 0 && file.subarray(0, CHECKSUM_BYTES).equals(checksum(snapshot));
  return isWhole ? snapshot : undefined;
}

function checksum(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
