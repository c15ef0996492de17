import { FILE_PIECE_BYTES } from '../../protocol/frames.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { checkCount, invalidOption } from '../../shared/options/option-values.ts';
import type {
  FileEdit,
  FileOptions,
  FileGlobOptions,
  FileGrepOptions,
  FileReadOptions,
  FileReadTextOptions,
  FileRemoveOptions,
} from '../../tools/session-files.ts';

const page = 'docs/files.md';
const MOST_MATCHES = 1000;

export const FILE_OPTIONS: OptionsObject<FileOptions> = {
  of: 'SessionFiles',
  names: { signal: 'signal' },
  page,
};

export const READ_OPTIONS: OptionsObject<FileReadOptions> = {
  of: 'read',
  names: { offsetBytes: true, lengthBytes: true, maxBytes: true, signal: 'signal' },
  page,
};

export const READ_TEXT_OPTIONS: OptionsObject<FileReadTextOptions> = {
  of: 'readText',
  names: { fromLine: true, toLine: true, maxBytes: true, signal: 'signal' },
  page,
};

export const FILE_EDIT: OptionsObject<FileEdit> = {
  of: 'edit',
  names: { find: 'text', replace: 'text', all: 'boolean', signal: 'signal' },
  required: ['find', 'replace'],
  page,
};

export const REMOVE_OPTIONS: OptionsObject<FileRemoveOptions> = {
  of: 'remove',
  names: { recursive: 'boolean', signal: 'signal' },
  page,
};

export const GLOB_OPTIONS: OptionsObject<FileGlobOptions> = {
  of: 'glob',
  names: { path: 'text', signal: 'signal' },
  page,
};

export const GREP_OPTIONS: OptionsObject<FileGrepOptions> = {
  of: 'grep',
  names: { path: 'text', pattern: 'text', ignoreCase: 'boolean', limit: true, signal: 'signal' },
  page,
};

/** @throws PtcError `OPTION_INVALID` */
export function checkReadOptions(options: FileReadOptions): void {
  checkOptionNames(options, READ_OPTIONS);
  for (const name of ['offsetBytes', 'lengthBytes', 'maxBytes'] as const) {
    if (options[name] !== undefined) checkCount(name, options[name], 0);
  }
}

/** @throws PtcError `OPTION_INVALID` */
export function checkReadTextOptions(options: FileReadTextOptions): void {
  checkOptionNames(options, READ_TEXT_OPTIONS);
  const { fromLine = 1, toLine = fromLine, maxBytes = 0 } = options;
  checkCount('maxBytes', maxBytes, 0);
  checkCount('fromLine', fromLine, 1);
  checkCount('toLine', toLine, fromLine);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkEdit(edit: FileEdit): void {
  checkOptionNames(edit, FILE_EDIT);
  for (const name of ['find', 'replace'] as const) checkText(name, edit[name]);
  if (edit.find === '') throw invalidOption('find', edit.find, 'a text that is not empty');
}

/** @throws PtcError `OPTION_INVALID` */
export function checkGrepOptions(options: FileGrepOptions): void {
  checkOptionNames(options, GREP_OPTIONS);
  const { limit = 1 } = options;
  checkCount('limit', limit, 1);
  if (limit > MOST_MATCHES) throw invalidOption('limit', limit, `at most ${MOST_MATCHES}`);
}

/**
 * Refuses what is not text, or does not fit into a frame. The sandbox decides the rest.
 * @throws PtcError `OPTION_INVALID`
 */
export function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw invalidOption(name, value, 'text');
  if (Buffer.byteLength(value) > FILE_PIECE_BYTES) {
    throw invalidOption(name, value, `a text of at most ${FILE_PIECE_BYTES} bytes`);
  }
}
