import { types } from 'node:util';
import { PtcError } from '../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../shared/option-names.ts';
import type { AuditTextOptions } from './text.ts';

export interface AuditLogOptions extends Partial<AuditTextOptions> {
  /** The path of the file. Its directory must exist. Only the owner can read the file. */
  readonly path: string;
  /**
   * A file that would become longer than this is followed by another one.
   * @default 10485760 (10 MiB)
   */
  readonly maxFileBytes?: number;
  /** How many files are kept, including the newest. Older ones are removed. @default all */
  readonly maxFiles?: number;
  /**
   * A secret of at least 16 bytes. Without it, nobody can make a valid chain, so nobody can change
   * the file unnoticed.
   * @default none: the chain reveals only accidental and careless changes
   */
  readonly key?: string | Uint8Array;
  /**
   * Called when the file cannot be written, once until it can be written again. The log continues
   * to try.
   * @default a warning of the process
   */
  readonly onError?: (error: Error) => void;
}

const LEAST_KEY_BYTES = 16;

export const AUDIT_OPTIONS: OptionsObject<AuditLogOptions> = {
  of: 'openAuditLog',
  names: {
    path: 'text',
    maxFileBytes: 'number',
    maxFiles: 'number',
    redact: 'function',
    includeText: 'boolean',
    key: true,
    onError: 'function',
  },
  page: 'docs/audit.md',
  otherWords: { file: 'path', secret: 'key' },
};

/** @throws PtcError `OPTION_INVALID`. */
export function checkAuditLogOptions(options: AuditLogOptions): void {
  checkOptionNames(options, AUDIT_OPTIONS);
  const { path, maxFileBytes = 1, maxFiles = 1 } = options;
  if (typeof path !== 'string' || path === '') throw invalid('path', 'the path of a file');
  if (!isCount(maxFileBytes)) throw invalid('maxFileBytes', 'a whole number, at least 1');
  if (!isCount(maxFiles)) throw invalid('maxFiles', 'a whole number, at least 1');
  // A key that is passed but undefined usually comes from a variable that was not set.
  if ('key' in options) checkAuditKey(options.key, 'key');
}

/** @throws PtcError `OPTION_INVALID` for a key that could be guessed. */
export function checkAuditKey(key: unknown, option: string): void {
  const isKey = typeof key === 'string' || types.isUint8Array(key);
  if (!isKey || Buffer.from(key).length < LEAST_KEY_BYTES) {
    throw invalid(option, `a secret of at least ${LEAST_KEY_BYTES} bytes`);
  }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1;
}

/** Does not show the value, which may be a secret. */
function invalid(option: string, expected: string): PtcError {
  return new PtcError('OPTION_INVALID', `${option} of an audit log must be ${expected}.`, {
    details: { option },
  });
}
