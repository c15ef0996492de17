import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { decode } from 'sixel';
import { describe, expect, it } from 'vitest';
import { drawImage } from '../../../src/cli/produced/draw-image.ts';
import { PIXEL } from '../../support/images.ts';

const SIXEL = { kitty: false, iterm2: false, sixel: true };
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

describe('a terminal with sixel', () => {
  it('draws the pixels of a PNG, and nothing of its bytes [host/decoded-images]', async () => {
    const image = new PNG({ width: 64, height: 18 });
    for (let at = 0; at < 64 * 18; at += 1) image.data.set(at % 64 < 32 ? BLUE : RED, at * 4);
    const drawn = await draw(PNG.sync.write(image), 64);
    expect(drawn).toMatch(/^.P0;1;q[ -~\n]*.\\\n$/);
    expect(pixelsOf(drawn)).toEqual(new Uint8Array(image.data));
  });

  it('draws an image with more colors than it has in colors that are close', async () => {
    const image = new PNG({ width: 36, height: 36 });
    for (let at = 0; at < 36 * 36; at += 1) {
      image.data.set([(at % 36) * 7, Math.floor(at / 36) * 7, 128, 255], at * 4);
    }
    const pixels = pixelsOf(await draw(PNG.sync.write(image), 36));
    expect(pixels).toHaveLength(36 * 36 * 4);
    const differences = image.data.map((value, at) => Math.abs(value - (pixels[at] ?? 255)));
    expect(Math.max(...differences)).toBeLessThan(48);
  });

  it('draws no image that is wider than it, and no type but PNG', async () => {
    expect(await draw(Buffer.from(PIXEL, 'base64'), 800)).toBeDefined();
    expect(await draw(Buffer.from(PIXEL, 'base64'), 801)).toBeUndefined();
    expect(await draw(Buffer.from(PIXEL, 'base64'), 1, 'image/webp')).toBeUndefined();
  });

  // The bytes of rows decompress to 64 MiB in each of these.
  it.each([
    ['has more than a million pixels', png([header(1001, 1000)])],
    ['has more rows than its header says', png([header(100, 1)])],
    ['is interlaced', png([header(1, 1, 1)])],
    ['has a second header that is interlaced', png([header(1, 1), header(1, 1, 1)])],
    ['ends amid its header', SIGNATURE],
  ])('draws no image that %s [host/decoded-images]', async (_, bytes) => {
    const before = process.memoryUsage().external;
    expect(await draw(bytes, 1)).toBeUndefined();
    expect(process.memoryUsage().external - before).toBeLessThan(32 * 2 ** 20);
  });
});

const BLUE = [0, 0, 255, 255];
const RED = [255, 0, 0, 255];

function draw(
  bytes: Buffer,
  widthPixels: number,
  mediaType: 'image/png' | 'image/webp' = 'image/png',
): Promise<string | undefined> {
  const image = { mediaType, data: bytes.toString('base64'), widthPixels, heightPixels: 1 };
  return drawImage(image, SIXEL, 80);
}

function pixelsOf(drawn = ''): Uint8Array {
  const { data32 } = decode(
    Buffer.from(drawn.slice(drawn.indexOf('q') + 1, drawn.lastIndexOf('\u001b'))),
  );
  return new Uint8Array(data32.buffer, data32.byteOffset, data32.byteLength);
}

/** A PNG with 8 bits for each of red, green and blue. */
function png(headers: readonly Buffer[]): Buffer {
  const rows = deflateSync(Buffer.alloc(64 * 2 ** 20));
  const ends = [chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...headers, ...ends]);
}

function header(width: number, height: number, interlaced = 0): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, interlaced]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk('IHDR', data);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
