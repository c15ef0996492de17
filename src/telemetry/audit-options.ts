import { PtcError } from '../shared/errors.ts';
import type { AuditTextOptions } from './audit-text.ts';

export interface AuditLogOptions extends Partial<AuditTextOptions> {
  /** The file, in a directory that is there. It is made readable by its owner alone. */
  readonly path: string;
  /** A file that would become longer is followed by another. @default 10485760 (10 MiB) */
  readonly maxFileBytes?: number;
  /** How many files are kept, the newest among them; older ones are removed. @default all */
  readonly maxFiles?: number;
  /**
   * A secret of 16 bytes or more. Who does not have it cannot make a chain that is found right, and so
   * cannot change the file in silence.
   * @default none: the chain shows accidents and careless changes
   */
  readonly key?: string | Uint8Array;
  /**
   * Hears that the file cannot be written, once until it can be again; the log goes on trying.
   * @default a warning of the process
   */
  readonly onError?: (error: Error) => void;
}

const LEAST_KEY_BYTES = 16;

/** @throws PtcError `OPTION_INVALID`. */
export function checkAuditLogOptions(options: AuditLogOptions): void {
  const { path, maxFileBytes = 1, maxFiles = 1 } = options;
  if (typeof path !== 'string' || path === '') throw invalid('path', 'the path of a file');
  if (!isCount(maxFileBytes)) throw invalid('maxFileBytes', 'a whole number, at least 1');
  if (!isCount(maxFiles)) throw invalid('maxFiles', 'a whole number, at least 1');
  // A key that is given and undefined is a variable that somebody forgot to set.
  if ('key' in options) checkAuditKey(options.key, 'key');
}

/** @throws PtcError `OPTION_INVALID` for a key that could be guessed. */
export function checkAuditKey(key: unknown, option: string): void {
  const isKey = typeof key === 'string' || key instanceof Uint8Array;
  if (!isKey || Buffer.from(key).length < LEAST_KEY_BYTES) {
    throw invalid(option, `a secret of at least ${LEAST_KEY_BYTES} bytes`);
  }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1;
}

/** Does not show the value: it may be a secret. */
function invalid(option: string, expected: string): PtcError {
  return new PtcError('OPTION_INVALID', `${option} of an audit log must be ${expected}.`, {
    details: { option },
  });
}
