/**
 * The format of a stored memory snapshot. Half of an interpreter's memory is zero, so only the
 * other pages are kept. The first four bytes are the full size, little-endian. Then comes one bit
 * for each page, which says whether the page is kept, then the kept pages.
 */

const PAGE_SIZE = 4096;

/** @returns The full snapshot; undefined for no bytes, which mean that there is no snapshot. */
export function expandSnapshot(stored) {
  if (stored.length === 0) return undefined;
  const size = new DataView(stored.buffer, stored.byteOffset).getUint32(0, true);
  const pageCount = Math.ceil(size / PAGE_SIZE);
  const bitmap = stored.subarray(4, 4 + Math.ceil(pageCount / 8));
  const snapshot = new Uint8Array(size);
  let offset = 4 + bitmap.length;
  for (let page = 0; page < pageCount; page += 1) {
    if ((bitmap[page >> 3] & (1 << (page & 7))) === 0) continue;
    const start = page * PAGE_SIZE;
    const length = Math.min(PAGE_SIZE, size - start);
    snapshot.set(stored.subarray(offset, offset + length), start);
    offset += length;
  }
  return snapshot;
}
