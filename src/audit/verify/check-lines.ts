import { createHash, type Hash } from 'node:crypto';
import {
  MAXIMUM_LINE_BYTES,
  NO_HASH,
  readLine,
  type ChainKey,
  type ChainLine,
  type ChainPosition,
  type ReadLine,
} from '../chain.ts';
import type { WhatCameBefore } from '../record.ts';

/** A statement about a line of a file. */
export interface AuditFinding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
}

/** The result of checking a log. */
export interface AuditVerification {
  readonly files: number;
  readonly lines: number;
  /** The first problem. The lines after it were not checked. */
  readonly problem: AuditFinding | undefined;
  /** Facts that are not faults of the chain: where it begins and ends, crashes, dropped entries. */
  readonly remarks: readonly AuditFinding[];
  /** The last valid line. */
  readonly end: ChainPosition | undefined;
}

/** Checks the lines of a log's files, which must be passed in order. */
export class AuditVerifier {
  readonly #key: ChainKey;
  readonly #remarks: AuditFinding[] = [];
  #file = '';
  #files = 0;
  #lines = 0;
  /** The number of the line in its file, from 1. */
  #lineNumber = 0;
  #fileNumber: number | undefined;
  #isFirstInFile = true;
  #endsWithinLine = false;
  #last: ChainLine | undefined;
  /** Text after the last line that is not a line. */
  #torn: { readonly line: number; readonly hash: Hash; bytes: number } | undefined;
  #problem: AuditFinding | undefined;

  constructor(key: ChainKey) {
    this.#key = key;
  }

  beginFile(name: string): void {
    if (this.#files > 0) this.#endFile();
    if (this.#last !== undefined && this.#last.type !== 'log-rotated') {
      this.#fail(
        'its end is missing: a file that is followed by another ends with a line that says so',
      );
    }
    this.#files += 1;
    this.#file = name;
    this.#lineNumber = 0;
    this.#isFirstInFile = true;
  }

  /** @param ended - Whether a line end follows. Only the last line of a file may have none. */
  line(bytes: Uint8Array, ended: boolean): void {
    this.#lines += 1;
    this.#lineNumber += 1;
    this.#endsWithinLine = !ended;
    if (this.#problem !== undefined) return;
    const read: ReadLine =
      bytes.length > MAXIMUM_LINE_BYTES
        ? { wrong: 'it is longer than any line of a log' }
        : readLine(bytes, this.#key);
    if (read === undefined) this.#addTorn(bytes);
    else if ('wrong' in read) this.#fail(read.wrong);
    else this.#check(read);
  }

  finish(): AuditVerification {
    this.#endFile();
    if (this.#problem === undefined) this.#remarkOnEnd();
    return {
      files: this.#files,
      lines: this.#lines,
      problem: this.#problem,
      remarks: this.#remarks,
      end: this.#last && { seq: this.#last.seq, hash: this.#last.hash },
    };
  }

  #endFile(): void {
    if (this.#torn !== undefined) {
      this.#fail(
        'it is not a complete line, and no later line says so: its process ended, or the end of the file was cut off',
        this.#torn.line,
      );
    } else if (this.#lineNumber === 0) this.#fail('the file is empty', 1);
    else if (this.#endsWithinLine) this.#fail('its line end was cut off');
  }

  #check(line: ChainLine): void {
    const unexplained = this.#tornProblem(line);
    if (unexplained !== undefined) return this.#fail(unexplained, this.#torn?.line);
    const problem =
      hashProblem(line, this.#key) ??
      (this.#isFirstInFile ? this.#firstLineProblem(line) : undefined) ??
      this.#orderProblem(line);
    if (problem !== undefined) return this.#fail(problem);
    this.#remarkOn(line);
    this.#isFirstInFile = false;
    this.#torn = undefined;
    this.#last = line;
  }

  #tornProblem({ type, fields }: ChainLine): string | undefined {
    const named = type === 'log-opened' ? fields['torn'] : undefined;
    const found = this.#torn && {
      bytes: this.#torn.bytes,
      sha256: this.#torn.hash.copy().digest('hex'),
    };
    if (named === undefined && found === undefined) return undefined;
    if (JSON.stringify(named, ['bytes', 'sha256']) === JSON.stringify(found)) return undefined;
    return found === undefined
      ? 'it says that an incomplete line comes before it, but there is none'
      : 'it is not a line of an audit log, nor the part of a line that a crash left';
  }

  /** The first line of a file says its number in the series. */
  #firstLineProblem({ type, seq, fields }: ChainLine): string | undefined {
    const { file, after } = fields;
    if (type !== 'log-opened' || typeof file !== 'number') {
      return 'lines before it are missing: a file begins with a line that says its number';
    }
    const expected = this.#fileNumber === undefined ? file : this.#fileNumber + 1;
    this.#fileNumber = file;
    if (file !== expected)
      return `it begins file ${file} of the log, but file ${expected} was expected`;
    if (this.#last !== undefined) return undefined;
    if (file > 1 && (after === 'rotated' || after === 'crash-between-files')) {
      this.#remark(`the log begins before file ${file}: lines 1 to ${seq - 1} were not checked`);
      return undefined;
    }
    return seq === 1 ? undefined : missing(1, seq);
  }

  #orderProblem({ seq, previous }: ChainLine): string | undefined {
    // If the earlier files were not passed, the line that this one names is unknown.
    const last = this.#last ?? (seq === 1 ? { seq: 0, hash: NO_HASH } : undefined);
    if (last === undefined) return undefined;
    if (seq > last.seq + 1) return missing(last.seq + 1, seq);
    if (seq <= last.seq) return `it is line ${seq} of the chain, which belongs earlier`;
    return previous === last.hash ? undefined : 'it names a different line as the previous one';
  }

  #remarkOn({ type, fields }: ChainLine): void {
    if (type === 'entries-dropped') {
      this.#remark(
        `${JSON.stringify(fields['count'])} entries were dropped here: the file could not be written`,
      );
    }
    if (type === 'log-opened' && CRASHES.has(fields['after'])) {
      const torn = this.#torn === undefined ? '' : ', within a line';
      this.#remark(`the process before it ended without closing the log${torn}`);
    }
  }

  #remarkOnEnd(): void {
    if (this.#last?.type === 'log-rotated') {
      this.#remark(
        `file ${JSON.stringify(this.#last.fields['nextFile'])} comes after it, but was not passed`,
      );
    } else if (this.#last?.type !== 'log-closed') {
      this.#remark(
        'the log is open, or its process ended without closing it: whether lines after this one were removed cannot be seen',
      );
    }
  }

  #addTorn(bytes: Uint8Array): void {
    if (this.#torn === undefined) {
      this.#torn = { line: this.#lineNumber, hash: createHash('sha256'), bytes: 0 };
    } else {
      this.#torn.hash.update('\n');
      this.#torn.bytes += 1;
    }
    this.#torn.hash.update(bytes);
    this.#torn.bytes += bytes.length;
  }

  #remark(what: string): void {
    this.#remarks.push({ file: this.#file, line: this.#lineNumber, what });
  }

  #fail(what: string, line: number = Math.max(1, this.#lineNumber)): void {
    this.#problem ??= { file: this.#file, line, what };
  }
}

const CRASHES: ReadonlySet<unknown> = new Set<WhatCameBefore>(['crash', 'crash-between-files']);

/** What a check without a key finds in a log that has one. It says nothing about the chain. */
export const KEY_NEEDED = 'the log has a key, so it can be checked only with that key';

function hashProblem({ intact, type, fields }: ChainLine, key: ChainKey): string | undefined {
  if (intact) return undefined;
  const keyed = type === 'log-opened' ? fields['keyed'] : undefined;
  if (keyed === true && key === undefined) return KEY_NEEDED;
  if (keyed === false && key !== undefined) return 'the log was made without a key';
  return key === undefined
    ? 'it was changed: its hash does not match its content'
    : 'it was changed, or made with another key: its hash does not match its content';
}

function missing(from: number, before: number): string {
  return from === before - 1
    ? `line ${from} of the chain is missing before it`
    : `lines ${from} to ${before - 1} of the chain are missing before it`;
}
