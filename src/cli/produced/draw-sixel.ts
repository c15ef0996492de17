/** A larger image would hold the process up: encoding so many pixels takes up to two seconds. */
const MOST_PIXELS = 1_000_000;
/** As many as a terminal with sixel has registers for. */
const MOST_COLORS = 256;
/** What has no color shows the terminal's own. */
const KEEP_BACKGROUND = 1;
const SIGNATURE_BYTES = 8;
/** The length of a chunk, its type, and the checksum behind its data. */
const CHUNK_BYTES = 12;
/** The place of this field in a PNG, whose first chunk is its header. */
const INTERLACED_AT = 28;

/**
 * The pixels of a PNG, as a terminal with sixel draws them. They are decoded and encoded anew, so
 * no byte of the file reaches the terminal.
 * @param image - In base64. It may be hostile: `ShownImages` has checked only how it begins.
 * @returns undefined if it has too many pixels, is interlaced, or cannot be decoded.
 */
export async function drawSixel(image: string): Promise<string | undefined> {
  const bytes = Buffer.from(image, 'base64');
  if (!isBounded(bytes)) return undefined;
  const [{ PNG }, sixel] = await Promise.all([import('pngjs'), import('sixel')]);
  try {
    const { data, width, height } = PNG.sync.read(bytes);
    // Not a `Buffer`, whose `slice` is not the copy that the encoder takes it for.
    const pixels = new Uint8Array(data);
    const colors = colorsOf(pixels);
    if (colors.length > MOST_COLORS) {
      return `${sixel.image2sixel(pixels, width, height, MOST_COLORS, KEEP_BACKGROUND)}\n`;
    }
    const drawn = sixel.sixelEncode(pixels, width, height, colors);
    return `${sixel.introducer(KEEP_BACKGROUND)}${drawn}${sixel.FINALIZER}\n`;
  } catch {
    return undefined;
  }
}

/** The library mixes colors even if there are registers for all: it gets them from here then. */
function colorsOf(pixels: Uint8Array): number[] {
  const colors = new Set<number>();
  for (const pixel of new Uint32Array(pixels.buffer)) {
    colors.add(pixel);
    if (colors.size > MOST_COLORS) break;
  }
  return [...colors];
}

/**
 * Whether decoding takes as much memory as its one header says. The decoder bounds what it
 * decompresses by the header, but not in an interlaced image, and takes the last one of several.
 */
function isBounded(bytes: Buffer): boolean {
  if (bytes.length <= INTERLACED_AT || bytes[INTERLACED_AT] !== 0) return false;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width * height > MOST_PIXELS) return false;
  let headers = 0;
  for (let at = SIGNATURE_BYTES; at + CHUNK_BYTES <= bytes.length;) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IHDR') headers += 1;
    at += CHUNK_BYTES + bytes.readUInt32BE(at);
  }
  return headers === 1;
}
