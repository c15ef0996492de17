import { describe, expect, it } from 'vitest';
import { imageData } from '../support/media.ts';
import { PIXEL, pngHeader } from '../support/images.ts';
import { image, outcome } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

/** An image of a type that services do not take, with a valid header. */
const AVIF = Buffer.from('000000186674797061766966000000006d69663161766966', 'hex').toString(
  'base64',
);

/** A JPEG of 3 × 2 pixels, whose size comes after so many segments of 64 KiB of metadata. */
function jpegAfter(segments: number): string {
  const segment = Buffer.concat([Buffer.from('ffe1ffff', 'hex'), Buffer.alloc(65_533)]);
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    ...Array.from({ length: segments }, () => segment),
    Buffer.from('ffc00011080002000303011100021100031100ffd9', 'hex'),
  ]).toString('base64');
}

/** What comes of a program whose runner sends these parts of images. */
async function resultOf(...parts: readonly (readonly [data: string, last?: boolean])[]) {
  const { runner, connection } = connect();
  const running = connection.execute(request());
  runner.say(...parts.map(([data, last]) => image(data, last)), outcome());
  return running;
}

describe('an image from a runner', () => {
  it('is put together from its parts, with the size that its header says', async () => {
    const { images, imageProblems } = await resultOf(
      [PIXEL.slice(0, 40), false],
      [PIXEL.slice(40)],
      [pngHeader(8000, 20)],
    );
    expect(images).toEqual([
      { mediaType: 'image/png', data: PIXEL, widthPixels: 1, heightPixels: 1 },
      { mediaType: 'image/png', data: pngHeader(8000, 20), widthPixels: 8000, heightPixels: 20 },
    ]);
    expect(imageProblems).toEqual([]);
  });

  it.each([
    [
      'text',
      Buffer.from('<svg onload="alert(1)"/>').toString('base64'),
      /not a PNG, JPEG, GIF or WebP image with a whole header/,
    ],
    ['the beginning of another type', AVIF, /with a whole header/],
    ['nothing', '', /not a PNG, JPEG, GIF or WebP image with a whole header/],
    ['a PNG without a header', imageData('image/png'), /with a whole header/],
    ['a JPEG without a header', imageData('image/jpeg'), /with a whole header/],
    ['a GIF of no size', imageData('image/gif'), /with a whole header/],
    ['a WebP without a header', imageData('image/webp'), /with a whole header/],
    ['the sides of a poster', pngHeader(40_000, 40_000), /40000 × 40000 pixels.*at most 8000/],
    ['one side that is too long', pngHeader(1, 8001), /1 × 8001 pixels/],
  ])('with %s is not shown, and the result says why', async (_, data, why) => {
    const { status, images, imageProblems } = await resultOf([data], [PIXEL]);
    expect({ status, images: images.length }).toEqual({ status: 'ok', images: 1 });
    expect(imageProblems).toEqual([expect.stringMatching(why)]);
    expect(imageProblems[0]).toMatch(/^Image 1 is not shown, because /);
  });

  it('has its size within its first 512 KiB', async () => {
    const { images, imageProblems } = await resultOf([jpegAfter(7)], [jpegAfter(9)]);
    expect(images).toMatchObject([{ mediaType: 'image/jpeg', widthPixels: 3, heightPixels: 2 }]);
    expect(imageProblems).toEqual([expect.stringMatching(/^Image 2 .* with a whole header/)]);
  });

  it('that does not arrive whole is not shown', async () => {
    const { status, images, imageProblems } = await resultOf([PIXEL.slice(0, 40), false]);
    expect({ status, images, imageProblems }).toEqual({
      status: 'ok',
      images: [],
      imageProblems: [],
    });
  });

  it.each<[string, (readonly [data: string, last?: boolean])[], string]>([
    ['too large', Array.from({ length: 10 }, () => ['A'.repeat(700_000), false]), '5000000 bytes'],
    ['not base64', [['%%%%']], 'not base64'],
    ['in empty parts', [['', false], [PIXEL]], 'an empty part of an image'],
    ['the eleventh', Array.from({ length: 11 }, () => [PIXEL]), 'more than 10 images'],
    ['the eleventh that is refused', Array.from({ length: 11 }, () => ['']), 'more than 10 images'],
  ])('that is %s ends the session [waiting/images]', async (_, parts, message) => {
    expect(await resultOf(...parts)).toMatchObject({
      status: 'protocol-error',
      error: { message: expect.stringContaining(message) },
      sessionOpen: false,
    });
  });
});
