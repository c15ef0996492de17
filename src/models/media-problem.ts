import { Buffer } from 'node:buffer';
import type { DocumentBlock, ImageBlock } from './language-model.ts';

export type MediaBlock = ImageBlock | DocumentBlock;

/** The largest limit of the services: OpenAI accepts 50 MB of files in one request. */
const MAX_BYTES = 50_000_000;

/** The limit of Amazon Bedrock for a document's name, which is the smallest of the services. */
const MAX_TITLE_LENGTH = 200;

/** A character that base64 has in no place but its end. To look for it is faster than to decode. */
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** How many characters of base64 are checked in one step: a multiple of 4. It takes about 1 ms. */
const STEP_LENGTH = 2 ** 18;

/** The first bytes of each media type, in hexadecimal digits. A PDF may begin with other bytes. */
const MAGIC_BYTES: Readonly<Record<string, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^47494638/,
  'image/webp': /^52494646.{8}57454250/,
  'application/pdf': /^(?:..){0,1019}255044462d/,
};

/** The blocks without a problem. No block is changed, so each is checked once. */
const checked = new WeakSet<MediaBlock>();

/**
 * The problem of an image or document block, or undefined. Services refuse an invalid block, and
 * then every later request that contains it, so it is checked before it is kept.
 */
export function mediaProblem(block: MediaBlock): string | undefined {
  const steps = mediaProblemInSteps(block);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As `mediaProblem`. Between two steps, the caller can let the event loop do other work. */
export function* mediaProblemInSteps(block: MediaBlock): Generator<undefined, string | undefined> {
  if (checked.has(block)) return undefined;
  const problem = titleProblem(block) ?? (yield* contentProblem(block));
  if (problem === undefined) checked.add(block);
  return problem;
}

function titleProblem(block: MediaBlock): string | undefined {
  if (!('title' in block)) return undefined;
  const length = block.title?.trim().length ?? 1;
  return length === 0 || length > MAX_TITLE_LENGTH
    ? `its title must have 1 to ${MAX_TITLE_LENGTH} characters`
    : undefined;
}

function* contentProblem(block: MediaBlock): Generator<undefined, string | undefined> {
  if ('url' in block) return urlProblem(block.url);
  return 'text' in block
    ? textProblem(block.text)
    : yield* dataProblem(block.data, block.mediaType);
}

function urlProblem(url: string): string | undefined {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  return protocol === 'https:' || protocol === 'http:'
    ? undefined
    : 'its url must begin with http:// or https://; pass other contents as data';
}

function textProblem(text: string): string | undefined {
  if (text.trim() === '') return 'its text is empty';
  return text.length > MAX_BYTES ? tooLong(text.length) : undefined;
}

function* dataProblem(data: string, mediaType: string): Generator<undefined, string | undefined> {
  if (data === '') return 'its data is empty';
  if (data.startsWith('data:')) return 'its data must be base64 alone, without "data:…;base64,"';
  // Checked before the data is decoded.
  const length = Math.floor((data.length / 4) * 3);
  if (length > MAX_BYTES + 2) return tooLong(length);
  for (let at = 0; at < data.length; at += STEP_LENGTH) {
    if (at > 0) yield;
    const part = data.slice(at, at + STEP_LENGTH);
    // Only the last part can end with padding.
    const isGood = at + STEP_LENGTH >= data.length ? isBase64(part) : !NOT_BASE64.test(part);
    if (!isGood) {
      return 'its data is not base64, which has no line breaks and is padded with "=" (RFC 4648, section 4)';
    }
  }
  // 1024 bytes, or a few more.
  const beginning = Buffer.from(data.slice(0, 1368), 'base64').toString('hex', 0, 1024);
  return MAGIC_BYTES[mediaType]?.test(beginning) === false
    ? `its data does not begin like ${mediaType}; set the right mediaType`
    : undefined;
}

/** The decoder ignores characters that are not base64. */
function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

function tooLong(length: number): string {
  return `it has ${length} bytes, but no service accepts more than ${MAX_BYTES}`;
}
