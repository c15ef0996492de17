import { types } from 'node:util';
import { PtcError } from '../shared/errors.ts';
import { hasMethod } from '../shared/guards.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { checkCount, invalidOption } from '../shared/options/option-values.ts';
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
   * The key of the hashes: a secret of at least 16 bytes. Without it, nobody can make a valid chain,
   * so nobody can change the file unnoticed.
   * @default none: the chain reveals only accidental and careless changes
   */
  readonly secret?: string | Uint8Array;
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
    secret: true,
    onError: 'function',
  },
  page: 'docs/audit.md',
  otherWords: { file: 'path', key: 'secret' },
  required: ['path'],
};

/** @throws PtcError `OPTION_INVALID`. */
export function checkAuditLogOptions(options: AuditLogOptions): void {
  checkOptionNames(options, AUDIT_OPTIONS);
  const { path, maxFileBytes = 1, maxFiles = 1 } = options;
  if (path === '') throw invalidOption('path', path, 'the path of a file');
  checkCount('maxFileBytes', maxFileBytes, 1);
  checkCount('maxFiles', maxFiles, 1);
  // A key that is passed but undefined usually comes from a variable that was not set.
  if ('secret' in options) checkAuditKey(options.secret, 'secret');
}

/** @throws PtcError `OPTION_INVALID` for a key that could be guessed. */
export function checkAuditKey(key: unknown, option: string): void {
  const isKey = typeof key === 'string' || types.isUint8Array(key);
  if (!isKey || Buffer.from(key).length < LEAST_KEY_BYTES) {
    // Does not show the value, which may be a secret.
    const given = key === undefined ? ', not undefined. Is its variable set?' : '.';
    const message = `${option} of an audit log must be a secret of at least ${LEAST_KEY_BYTES} bytes${given}`;
    throw new PtcError('OPTION_INVALID', message, { details: { option } });
  }
}

/**
 * Checks the option `audit` of an executor or a conversation.
 * @throws PtcError `OPTION_INVALID` for a value that is not an audit log.
 */
export function checkAudit(audit: unknown): void {
  if (audit === undefined || hasMethod(audit, 'record')) return;
  throw invalidOption('audit', audit, 'an audit log: await openAuditLog(…)');
}
