import { Buffer } from 'node:buffer';
import type { DocumentBlock, ImageBlock } from '../../src/models/language-model.ts';

/** Bytes that begin as those of an image, in base64. */
export function imageData(mediaType: string, length = 24): string {
  const beginning = BEGINNINGS[mediaType];
  if (beginning === undefined) throw new Error(`There is no image of type ${mediaType}.`);
  return Buffer.concat([Buffer.from(beginning, 'latin1'), Buffer.alloc(length)]).toString('base64');
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/jpeg': '\xff\xd8\xff',
  'image/gif': 'GIF89a',
  'image/webp': 'RIFF\x10\0\0\0WEBP',
};

export const PDF: string = Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64');

export const png: ImageBlock = {
  type: 'image',
  mediaType: 'image/png',
  data: imageData('image/png'),
};

export const linkedImage: ImageBlock = { type: 'image', url: 'https://example.org/cat.png' };

export const pdf: DocumentBlock = {
  type: 'document',
  mediaType: 'application/pdf',
  data: PDF,
  title: 'Report of May.pdf',
};

export const linkedPdf: DocumentBlock = {
  type: 'document',
  mediaType: 'application/pdf',
  url: 'https://example.org/report.pdf',
};

export const plainText: DocumentBlock = {
  type: 'document',
  mediaType: 'text/plain',
  text: 'Rent: 800 €',
  title: 'Costs',
};
