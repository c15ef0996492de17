/** The images that a program shows with `show`. The host receives them in parts. */

import util from 'node:util';
import { encodeText, IMAGE } from './frames.mjs';

/** The limits of the host; see `shown-images.ts`. */
const MAX_IMAGES = 10;
const MAX_BYTES = 5_000_000;

/**
 * A part travels between tool calls, which must not wait long for it. A multiple of 3 bytes has no
 * padding in base64.
 */
const MAX_PART_BYTES = 192 * 1024;
/** More than a frame has in addition to the part. */
const FRAME_BYTES = 200;
/** So many characters are made of bytes at once: they are the arguments of one call. */
const MAX_CHARACTERS = 8192;

const KINDS = 'a PNG, JPEG, GIF or WebP image';
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
const GIF = [0x47, 0x49, 0x46, 0x38];
const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];

const { btoa, Uint8Array } = globalThis;
const { fromCharCode } = String;
const { floor, min } = Math;
const { apply, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const subarray = get(Uint8Array.prototype, 'subarray');
const lengthOf = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'length').get;
const { isAnyArrayBuffer, isUint8Array } = util.types;

export class ShownImages {
  #executionId;
  #maxPartBytes = 0;
  #count = 0;

  /** Sets the limit of a frame, which the host sends before the first program. */
  configure({ call_limit_bytes: maxBytes }) {
    this.#maxPartBytes = min(MAX_PART_BYTES, floor((maxBytes - FRAME_BYTES) / 4) * 3);
    this.#maxPartBytes -= this.#maxPartBytes % 3;
  }

  /** Begins a program. */
  start(executionId) {
    this.#executionId = executionId;
    this.#count = 0;
  }

  /**
   * Returns the function by which a program shows an image.
   * @param {import('../platform.d.ts').Platform} platform
   */
  makeFunction({ send, readFile }) {
    const show = (image) => this.#show(bytesOf(image, readFile), send);
    return show;
  }

  #show(bytes, send) {
    const length = apply(lengthOf, bytes, []);
    if (length > MAX_BYTES) {
      throw new RangeError(
        `show() takes at most ${MAX_BYTES} bytes, and this image has ${length}; make it smaller`,
      );
    }
    if (!isImage(bytes)) {
      throw new TypeError(
        `show() takes ${KINDS}, and this is none of them; encode it as PNG first`,
      );
    }
    if (this.#count === MAX_IMAGES) {
      throw new RangeError(
        `a program can show ${MAX_IMAGES} images; show the others in further programs`,
      );
    }
    this.#count += 1;
    for (let start = 0; start < length; start += this.#maxPartBytes) {
      const end = min(start + this.#maxPartBytes, length);
      const data = base64Of(bytes, start, end);
      send(
        encodeText(
          IMAGE,
          `{"execution_id":"${this.#executionId}","data":"${data}","last":${end === length}}`,
        ),
      );
    }
  }
}

function bytesOf(image, readFile) {
  if (isUint8Array(image)) return image;
  if (isAnyArrayBuffer(image)) return new Uint8Array(image);
  if (typeof image === 'string' && readFile !== undefined) return readFile(image);
  const path = readFile === undefined ? '' : 'the path or ';
  throw new TypeError(`show() takes ${path}the bytes of ${KINDS}, as a Uint8Array`);
}

function base64Of(bytes, start, end) {
  let characters = '';
  for (let from = start; from < end; from += MAX_CHARACTERS) {
    const part = apply(subarray, bytes, [from, min(from + MAX_CHARACTERS, end)]);
    characters += apply(fromCharCode, undefined, part);
  }
  return btoa(characters);
}

function isImage(bytes) {
  if (beginsWith(bytes, PNG, 0) || beginsWith(bytes, JPEG, 0) || beginsWith(bytes, GIF, 0)) {
    return true;
  }
  return beginsWith(bytes, RIFF, 0) && beginsWith(bytes, WEBP, 8);
}

function beginsWith(bytes, beginning, start) {
  for (let index = 0; index < beginning.length; index += 1) {
    if (bytes[start + index] !== beginning[index]) return false;
  }
  return true;
}
