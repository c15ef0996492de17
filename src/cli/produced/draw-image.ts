import type { ShownImage } from '../../execution/shown-images.ts';
import { drawSixel } from './draw-sixel.ts';

/** Which protocols for images a terminal understands. */
export interface Graphics {
  readonly kitty: boolean;
  readonly iterm2: boolean;
  readonly sixel: boolean;
}

/** The longest part of an image in one sequence of kitty, in characters. */
const KITTY_PART = 4096;
/** The usual width of a column of text, in pixels. */
const COLUMN_PIXELS = 10;
const ESCAPE = '\u001B';
const END = `${ESCAPE}\\`;
const BELL = '\u0007';

/**
 * What a terminal draws an image for; undefined if it cannot. For kitty and iTerm2 the bytes are in
 * base64, whose characters control nothing. The terminal decodes them: `ShownImages` has checked
 * that they begin as an image of this type.
 * @param columns - The width of the terminal.
 */
export async function drawImage(
  { mediaType, data, widthPixels }: ShownImage,
  { kitty, iterm2, sixel }: Graphics,
  columns: number,
): Promise<string | undefined> {
  const width = Math.max(1, Math.min(columns, Math.ceil(widthPixels / COLUMN_PIXELS)));
  // kitty itself draws no other type.
  if (kitty && mediaType === 'image/png') return `${kittyParts(data, width)}\n`;
  if (!iterm2) {
    // A terminal cuts off what is wider: it does not scale these pixels.
    const fits = widthPixels <= columns * COLUMN_PIXELS;
    return sixel && fits && mediaType === 'image/png' ? drawSixel(data) : undefined;
  }
  const size = Buffer.byteLength(data, 'base64');
  return `${ESCAPE}]1337;File=inline=1;size=${size};width=${width}:${data}${BELL}\n`;
}

/** Without an answer of the terminal, which would be taken for input. */
function kittyParts(data: string, width: number): string {
  let parts = '';
  for (let start = 0; start < data.length; start += KITTY_PART) {
    const more = start + KITTY_PART < data.length ? 1 : 0;
    const control = start === 0 ? `a=T,f=100,q=2,c=${width},m=${more}` : `m=${more}`;
    parts += `${ESCAPE}_G${control};${data.slice(start, start + KITTY_PART)}${END}`;
  }
  return parts;
}
