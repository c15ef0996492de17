/** A PNG of one pixel, in base64. */
export const PIXEL: string =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The header of a PNG with these sides, in base64: nothing that shows images decodes it. */
export function pngHeader(widthPixels: number, heightPixels: number): string {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  header.writeUInt32BE(widthPixels, 16);
  header.writeUInt32BE(heightPixels, 20);
  return header.toString('base64');
}
