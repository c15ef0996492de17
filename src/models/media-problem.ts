import { Buffer } from 'node:buffer';
import type { DocumentBlock, ImageBlock } from './language-model.ts';

export type MediaBlock = ImageBlock | DocumentBlock;

/** The largest limit of the services: OpenAI accepts 50 MB of files in one request. */
const MAX_BYTES = 50_000_000;

/** The limit of Amazon Bedrock for a document's name, which is the smallest of the services. */
const MAX_TITLE_LENGTH = 200;

/** The first bytes of each media type, in hexadecimal digits. A PDF may begin with other bytes. */
const MAGIC_BYTES: Readonly<Record<string, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^47494638/,
  'image/webp': /^52494646.{8}57454250/,
  'application/pdf': /^(?:..){0,1019}255044462d/,
};

/**
 * The problem of an image or document block, or undefined. Services refuse an invalid block, and
 * then every later request that contains it, so it is checked before it is kept.
 */
export function mediaProblem(block: MediaBlock): string | undefined {
  if ('title' in block) {
    const length = block.title?.trim().length ?? 1;
    if (length === 0 || length > MAX_TITLE_LENGTH) {
      return `its title must have 1 to ${MAX_TITLE_LENGTH} characters`;
    }
  }
  if ('url' in block) return urlProblem(block.url);
  return 'text' in block ? textProblem(block.text) : dataProblem(block.data, block.mediaType);
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

function dataProblem(data: string, mediaType: string): string | undefined {
  if (data === '') return 'its data is empty';
  if (data.startsWith('data:')) return 'its data must be base64 alone, without "data:…;base64,"';
  // Checked before the data is decoded.
  const length = Math.floor((data.length / 4) * 3);
  if (length > MAX_BYTES + 2) return tooLong(length);
  const bytes = Buffer.from(data, 'base64');
  // The decoder ignores characters that are not base64.
  if (bytes.toString('base64') !== data) {
    return 'its data is not base64, which has no line breaks and is padded with "=" (RFC 4648, section 4)';
  }
  const beginning = bytes.subarray(0, 1024).toString('hex');
  return MAGIC_BYTES[mediaType]?.test(beginning) === false
    ? `its data does not begin like ${mediaType}; set the right mediaType`
    : undefined;
}

function tooLong(length: number): string {
  return `it has ${length} bytes, but no service accepts more than ${MAX_BYTES}`;
}
