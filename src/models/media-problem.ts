import { Buffer } from 'node:buffer';
import type { DocumentBlock, ImageBlock } from './language-model.ts';

export type MediaBlock = ImageBlock | DocumentBlock;

/** The most that any of the services takes: OpenAI, 50 MB of files in one request. */
const MAX_BYTES = 50_000_000;

/** Of a document's name on Amazon Bedrock. No other service takes less. */
const MAX_TITLE_LENGTH = 200;

/** How the bytes of a media type begin, in hexadecimal digits. A PDF may have other bytes first. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^47494638/,
  'image/webp': /^52494646.{8}57454250/,
  'application/pdf': /^(?:..){0,1019}255044462d/,
};

/**
 * What is wrong with an image or a document that has the shape of one, or undefined. Services refuse what is wrong, and
 * then every later request with it: that is found out here.
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
    : 'its url must be an address of http or https; give other contents as data';
}

function textProblem(text: string): string | undefined {
  if (text.trim() === '') return 'its text is empty';
  return text.length > MAX_BYTES ? tooLong(text.length) : undefined;
}

function dataProblem(data: string, mediaType: string): string | undefined {
  if (data === '') return 'its data is empty';
  if (data.startsWith('data:')) return 'its data must be base64 alone, without "data:…;base64,"';
  // Before anything is decoded.
  const length = Math.floor((data.length / 4) * 3);
  if (length > MAX_BYTES + 2) return tooLong(length);
  const bytes = Buffer.from(data, 'base64');
  // The decoder passes over what is not base64.
  if (bytes.toString('base64') !== data) {
    return 'its data is not base64, which has no line breaks and is padded with "=" (RFC 4648, section 4)';
  }
  const beginning = bytes.subarray(0, 1024).toString('hex');
  return BEGINNINGS[mediaType]?.test(beginning) === false
    ? `its data does not begin as ${mediaType} does; give the mediaType that it is of`
    : undefined;
}

function tooLong(length: number): string {
  return `it has ${length} bytes, and no service takes more than ${MAX_BYTES}`;
}
