import { createHash } from 'node:crypto';

/**
 * The format of a memory snapshot. Half of an interpreter's memory is zero, so only the other pages
 * are kept. The first four bytes are the full size, little-endian. Then comes one bit for each
 * page, which says whether the page is kept, then the kept pages. In a file, a SHA-256 checksum of
 * all this comes first.
 */

const PAGE_SIZE = 4096;
const CHECKSUM_BYTES = 32;

/**
 * Part of the file name. Change it with the format, and with the environment in which snapshots are
 * made.
 */
export const SNAPSHOT_FORMAT = 2;

/** Removes the pages that are zero. `runner/embedded/worker/snapshot.mjs` adds them again. */
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

/** Adds the checksum: the bytes of a file for a compacted snapshot. */
export function sealSnapshot(snapshot: Buffer): Buffer {
  return Buffer.concat([checksum(snapshot), snapshot]);
}

/** Returns the compacted snapshot of a file. Undefined if the file is damaged. */
export function openSnapshot(file: Buffer): Buffer | undefined {
  const snapshot = file.subarray(CHECKSUM_BYTES);
  const isWhole =
    snapshot.length > 0 && file.subarray(0, CHECKSUM_BYTES).equals(checksum(snapshot));
  return isWhole ? snapshot : undefined;
}

function checksum(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
