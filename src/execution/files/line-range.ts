const NEWLINE = 0x0a;

/** Lines of a file. */
export interface LineRange {
  readonly bytes: Uint8Array;
  /** Where they end in the file, in bytes. */
  readonly end: number;
}

/**
 * Takes the lines from `first` to `last`, counted from 1, out of the pieces of a file. Reads no more
 * pieces than it needs.
 */
export async function linesOf(
  pieces: AsyncIterable<Uint8Array>,
  first: number,
  last: number,
): Promise<LineRange> {
  const taken: Uint8Array[] = [];
  let [line, read] = [1, 0];
  for await (const piece of pieces) {
    let begin = line >= first ? 0 : piece.length;
    let end = piece.length;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) {
      line += 1;
      if (line === first) begin = at + 1;
      if (line <= last) continue;
      end = at + 1;
      break;
    }
    read += end;
    if (begin < end) taken.push(piece.subarray(begin, end));
    if (line > last) break;
  }
  return { bytes: Buffer.concat(taken), end: read };
}
