import { messageOf, PtcError } from '../shared/errors.ts';
import { guardedListener } from '../shared/guarded-listener.ts';
import type { HeldName } from '../shared/held-name.ts';
import { warn } from '../shared/process-warning.ts';
import type { Chain } from './audit-chain.ts';
import type { AuditEntry, AuditLog } from './audit-entry.ts';
import type { AuditFile, FoundAuditFile } from './audit-file.ts';
import type { AuditLogOptions } from './audit-options.ts';
import { AuditIntake } from './audit-intake.ts';
import { AuditQueue, QUEUE_LIMIT_BYTES } from './audit-queue.ts';
import { logRecordOf, recordOf, type LogRecord, type WhatCameBefore } from './audit-record.ts';
import type { AuditTail } from './audit-tail.ts';
import type { AuditTextOptions } from './audit-text.ts';

/** How long to wait before what failed is tried again. */
const RETRY_MS = 1000;

/** A file that takes nothing for this long counts as one that cannot be written. */
const STALL_MS = 10_000;

/** About how much is written at a time. */
const BATCH_BYTES = 64 * 1024;

const DEFAULT_MAXIMUM_FILE_BYTES = 10 * 2 ** 20;

/** Writes entries in their order, one write at a time, and keeps whoever records them out of its troubles. */
export class AuditWriter implements AuditLog {
  readonly #file: AuditFile;
  readonly #chain: Chain;
  readonly #name: HeldName;
  readonly #text: AuditTextOptions;
  readonly #keyed: boolean;
  readonly #maxFileBytes: number;
  readonly #maxFiles: number;
  readonly #onError: (error: Error) => void;
  readonly #queue: AuditQueue = new AuditQueue(QUEUE_LIMIT_BYTES, (count) =>
    logRecordOf({ type: 'entries-dropped', count }, new Date()),
  );
  readonly #intake: AuditIntake = new AuditIntake(this.#queue, () => this.#wake());
  /** How long the file was when this process had said that it writes it: no file is turned that has no more. */
  #openedBytes = 0;
  /** Whether the file has its last line, and the next one is to be begun. */
  #turning = false;
  /** What the next file says of the one before it. */
  #turnAfter: WhatCameBefore = 'rotated';
  #failing = false;
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #endPause: (() => void) | undefined;
  #saidClosed = false;

  constructor(found: FoundAuditFile, chain: Chain, name: HeldName, options: AuditLogOptions) {
    this.#file = found.file;
    this.#chain = chain;
    this.#name = name;
    this.#text = { includeText: options.includeText ?? false, redact: options.redact };
    this.#keyed = options.key !== undefined;
    this.#maxFileBytes = options.maxFileBytes ?? DEFAULT_MAXIMUM_FILE_BYTES;
    this.#maxFiles = options.maxFiles ?? Infinity;
    this.#onError = guardedListener(options.onError ?? ((error) => warn(error.message)));
    this.#goOn(found);
    this.#wake();
  }

  record(entry: AuditEntry): void {
    if (this.#closing !== undefined) return this.#sayClosed();
    const time = new Date();
    this.#intake.give(() => recordOf(entry, time, this.#text));
  }

  ready(): Promise<void> | undefined {
    return this.#intake.ready();
  }

  async close(): Promise<void> {
    this.#closing ??= this.#end();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Begins where the file ends. */
  #goOn({ tail, follows }: FoundAuditFile): void {
    if (tail.open) this.#file.add(Buffer.from('\n'));
    // The process that had filled the file was ended before it began the next.
    if (tail.last?.type === 'log-rotated' && !follows) {
      this.#turning = true;
      this.#turnAfter = 'crash-between-files';
    } else this.#beginFile(follows ? 'crash-between-files' : beforeOf(tail), tail);
  }

  #beginFile(after: WhatCameBefore, tail?: AuditTail): void {
    const { number } = this.#file;
    const torn = tail?.torn && { torn: tail.torn };
    this.#addLogRecord({ type: 'log-opened', file: number, after, keyed: this.#keyed, ...torn });
    this.#openedBytes = this.#file.bytes;
  }

  #addLogRecord(record: LogRecord): void {
    this.#file.add(this.#chain.seal(logRecordOf(record, new Date())));
  }

  #wake(): void {
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    do {
      while (!(await this.#works())) {
        if (this.#closing !== undefined) break;
        await this.#pause();
      }
    } while (!this.#failing && this.#fill());
    this.#draining = undefined;
  }

  /** Whether all that the file was given is in it. */
  async #works(): Promise<boolean> {
    const stall = setTimeout(() => {
      this.#fail(new Error(`it has taken nothing for ${STALL_MS} ms`));
    }, STALL_MS).unref();
    try {
      await this.#file.flush();
      if (this.#turning) await this.#turn();
      this.#failing = false;
      this.#intake.holdBack(true);
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(stall);
    }
    return !this.#failing;
  }

  /** Gives the file what waits, as much as one write takes; false where nothing does. */
  #fill(): boolean {
    const before = this.#file.bytes;
    const lines: Buffer[] = [];
    let bytes = 0;
    for (let next = this.#queue.peek(); next !== undefined; next = this.#queue.peek()) {
      const isFull = before + bytes + next.bytes > this.#maxFileBytes;
      if (isFull && before + bytes > this.#openedBytes) {
        this.#turning = true;
        break;
      }
      this.#queue.take();
      const line = this.#chain.seal(next.fields);
      lines.push(line);
      bytes += line.length;
      if (bytes >= BATCH_BYTES) break;
    }
    this.#intake.takeWhatFits();
    this.#file.add(Buffer.concat(lines));
    if (this.#turning) {
      this.#addLogRecord({ type: 'log-rotated', nextFile: this.#file.number + 1 });
    }
    return this.#turning || lines.length > 0;
  }

  async #turn(): Promise<void> {
    await this.#file.turn();
    this.#turning = false;
    this.#beginFile(this.#turnAfter);
    this.#turnAfter = 'rotated';
    await this.#file.flush();
    // A file that cannot be removed is no reason to write nothing.
    await this.#file.prune(this.#maxFiles).catch((error: unknown) => {
      this.#report(`older files cannot be removed: ${messageOf(error)}`, error);
    });
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #end(): Promise<void> {
    // Only now: `close` has set what has the writer try no more than once again.
    await Promise.resolve();
    this.#endPause?.();
    this.#wake();
    await this.#intake.ready();
    this.#wake();
    await this.#draining;
    try {
      if (!this.#failing) {
        this.#addLogRecord({ type: 'log-closed' });
        await this.#file.flush();
      }
    } catch (error) {
      this.#fail(error);
    }
    const lost = this.#queue.length;
    if (this.#failing) this.#report(`${lost} entries that waited, and lines under way, are lost`);
    await this.#file.close().catch((error: unknown) => {
      this.#report(`it cannot be closed: ${messageOf(error)}`, error);
    });
    await this.#name.release();
  }

  #fail(error: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#intake.holdBack(false);
    this.#report(
      `it cannot be written: ${messageOf(error)}. It is tried again each second; what waits beyond ${QUEUE_LIMIT_BYTES} bytes is dropped and counted`,
      error,
    );
  }

  #sayClosed(): void {
    if (this.#saidClosed) return;
    this.#saidClosed = true;
    this.#report('it is closed, and entries still come. Close it after its executors');
  }

  #report(what: string, cause?: unknown): void {
    const message = `Audit log ${this.#file.path}: ${what}.`;
    const details = { path: this.#file.path };
    this.#onError(new PtcError('AUDIT_LOG_UNAVAILABLE', message, { details, cause }));
  }
}

/** What came before the line that opens a file again. */
function beforeOf({ last, torn }: AuditTail): WhatCameBefore {
  if (last?.type === 'log-closed' && torn === undefined) return 'closed';
  return last === undefined && torn === undefined ? 'new' : 'crash';
}
