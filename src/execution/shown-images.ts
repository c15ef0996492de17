import { Buffer } from 'node:buffer';
import { imageDimensionsFromData } from 'image-dimensions';
import type { ImageMediaType } from '../models/language-model.ts';
import type { ImageMessage } from '../protocol/messages.ts';
import { PtcError } from '../shared/errors.ts';

/** How many images one program can show. The guests have the same limits, and refuse more. */
const MAX_IMAGES = 10;
/** The limit of Anthropic for an image, in bytes. */
const MAX_IMAGE_BYTES = 5_000_000;
/** The limit of Anthropic for the width and the height of an image, in pixels. */
const MAX_SIDE_PIXELS = 8000;

/** An image that a program showed with `show`. The program chose its bytes: nobody decoded them. */
export interface ShownImage {
  /** The media type that its first bytes have. */
  readonly mediaType: ImageMediaType;
  /** The bytes in base64, at most 5,000,000 when decoded. */
  readonly data: string;
  /** The width that its header says, at most 8,000. */
  readonly widthPixels: number;
  /** The height that its header says, at most 8,000. */
  readonly heightPixels: number;
}

const MEDIA_TYPES: Readonly<Record<string, ImageMediaType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** The first bytes of these types, in hexadecimal. Others are not read, because reading them can take seconds. */
const BEGINNING = /^(?:89504e47|ffd8ff|47494638|52494646)/;
/** The size of a JPEG comes after its metadata, which is seldom larger. To read as much takes some 10 ms. */
const MAX_HEADER_BYTES = 512 * 1024;

/** Assembles the images that one program shows from the parts that a runner sends. */
export class ShownImages {
  readonly #images: ShownImage[] = [];
  readonly #problems: string[] = [];
  /** The parts of an image that is not complete. */
  #parts: string[] = [];
  #length = 0;

  /** The images that can be shown. One that did not arrive whole is not among them. */
  get images(): readonly ShownImage[] {
    return this.#images;
  }

  /** Why images cannot be shown, in sentences. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` for what our guests refuse in the program. */
  receive({ data, last }: ImageMessage): void {
    // There could be any number of them.
    if (data === '' && !last) throw violation('an empty part of an image');
    this.#length += data.length;
    if (this.#length > base64Length(MAX_IMAGE_BYTES))
      throw violation(`an image of more than ${MAX_IMAGE_BYTES} bytes`);
    const number = this.#images.length + this.#problems.length + 1;
    if (number > MAX_IMAGES) throw violation(`more than ${MAX_IMAGES} images of one program`);
    this.#parts.push(data);
    if (!last) return;
    const whole = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    const bytes = Buffer.from(whole, 'base64');
    // The decoder ignores characters that are not base64.
    if (bytes.toString('base64') !== whole) throw violation('an image that is not base64');
    const image = readHeader(bytes);
    if (typeof image === 'string')
      this.#problems.push(`Image ${number} is not shown, because ${image}.`);
    else this.#images.push({ ...image, data: whole });
  }
}

/** What the header of an image says, or why the image cannot be shown. */
function readHeader(bytes: Buffer): Omit<ShownImage, 'data'> | string {
  const header = bytes.subarray(0, MAX_HEADER_BYTES);
  const isRead = BEGINNING.test(header.toString('hex', 0, 4));
  const found = isRead ? imageDimensionsFromData(header) : undefined;
  const { type = '', width = 0, height = 0 } = found ?? {};
  const mediaType = MEDIA_TYPES[type];
  if (mediaType === undefined || width === 0 || height === 0)
    return 'it is not a PNG, JPEG, GIF or WebP image with a whole header';
  return width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS
    ? `it has ${width} × ${height} pixels, and at most ${MAX_SIDE_PIXELS} on each side can be shown`
    : { mediaType, widthPixels: width, heightPixels: height };
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function violation(what: string): PtcError {
  return new PtcError('PROTOCOL_VIOLATION', `The sandbox sent ${what}.`);
}
