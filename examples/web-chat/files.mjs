// @ts-check
// Files that users upload with a message, pictures that programs show, and downloads. All come from strangers: a
// browser displays only pictures whose type is known, and never opens a file as a page of this server.
import { createHash } from 'node:crypto';

/** How many bytes the files of one message may have. A conversation may have a little more: docs/input-files.md. */
const MOST_FILE_BYTES = 5_000_000;
const MOST_FILES = 10;

/** The largest body of a message: its files in base64, their names and the text. */
export const MOST_BODY_BYTES = Math.ceil((MOST_FILE_BYTES * 4) / 3) + 256 * 1024;

/** What browsers display without running anything. SVG is not among them: it can contain scripts. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Nothing in what is sent with these can run, load or be taken for another type. */
const HARMLESS = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
};

/** @typedef {{ type: 'file', name: string, data: Uint8Array }} Upload */

/**
 * The files of a message: `[{ name, data }]`, with the bytes in base64. The orchestrator checks the names.
 * @param {unknown} given
 * @returns {Upload[] | string} why they are refused
 */
export function readUploads(given) {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length > MOST_FILES) {
    return `files must be a list of at most ${MOST_FILES}.`;
  }
  /** @type {Upload[]} */
  const uploads = [];
  let room = MOST_FILE_BYTES;
  for (const file of given) {
    const { name, data } = Object(file);
    if (
      typeof name !== 'string' ||
      typeof data !== 'string' ||
      !/^[A-Za-z0-9+/]*={0,2}$/.test(data)
    ) {
      return 'Each file must have a name, and its data in base64.';
    }
    const bytes = Buffer.from(data, 'base64');
    room -= bytes.length;
    if (room < 0) return `The files of a message may have ${MOST_FILE_BYTES} bytes together.`;
    uploads.push({ type: 'file', name, data: bytes });
  }
  return uploads;
}

/**
 * The name of a picture in URLs.
 * @param {{ data: string }} picture
 */
export function pictureId({ data }) {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * @param {import('fastify').FastifyReply} reply
 * @param {{ mediaType: string, data: string }} picture
 */
export function sendPicture(reply, { mediaType, data }) {
  const bytes = Buffer.from(data, 'base64');
  if (!PICTURES.has(mediaType)) return sendDownload(reply, 'picture', bytes);
  return reply.headers({ ...HARMLESS, 'content-type': mediaType }).send(bytes);
}

/**
 * Sends bytes that a browser saves and never displays, whatever they are.
 * @param {import('fastify').FastifyReply} reply
 * @param {string} name
 * @param {Uint8Array} bytes
 */
export function sendDownload(reply, name, bytes) {
  const encoded = encodeURIComponent(name).replaceAll("'", '%27');
  return reply
    .headers({
      ...HARMLESS,
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encoded}`,
    })
    .send(bytes);
}
