const NEWLINE = 0x0a;

/**
 * Takes the lines from `first` to `last`, counted from 1, out of the pieces of a file. Reads no more
 * pieces than it needs.
 */
export async function linesOf(
  pieces: AsyncIterable<Uint8Array>,
  first: number,
  last: number,
): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let line = 1;
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
    if (begin < end) taken.push(piece.subarray(begin, end));
    if (line > last) break;
  }
  return Buffer.concat(taken);
}
