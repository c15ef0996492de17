import { extname } from 'node:path';

/** Data that people give to programs. What is missing is of the type of any bytes. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  css: 'text/css',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  log: 'text/plain',
  md: 'text/markdown',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const ANY_BYTES = 'application/octet-stream';

/** The types besides `text/…` whose files are text. */
const TEXTS = /[/+](?:json|xml|yaml|x-ndjson)$/;

/** The media type that the end of a name stands for. */
export function mediaTypeOf(name: string): string {
  const extension = extname(name).slice(1).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension)
    ? (BY_EXTENSION[extension] ?? ANY_BYTES)
    : ANY_BYTES;
}

/** Whether files of a media type are text that a model can read. */
export function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || TEXTS.test(mediaType);
}
