import { messageOf, PtcError } from '../shared/errors.ts';
import { guardedListener } from '../shared/listeners/guarded-listener.ts';
import type { HeldName } from '../shared/held-names/held-name.ts';
import { warn } from '../shared/process-warning.ts';
import type { Chain } from './chain.ts';
import type { AuditEntry, AuditLog } from './entry.ts';
import type { AuditFile, FoundAuditFile } from './file.ts';
import type { AuditLogOptions } from './options.ts';
import { AuditIntake } from './intake.ts';
import { AuditQueue, QUEUE_LIMIT_BYTES } from './queue.ts';
import { logRecordOf, recordOf, type LogRecord, type WhatCameBefore } from './record.ts';
import type { AuditTail } from './tail.ts';
import type { AuditTextOptions } from './text.ts';

/** How long to wait before trying again after an error. */
const RETRY_MS = 1000;

/** A write that takes longer than this counts as failed. */
const STALL_MS = 10_000;

/** About how many bytes are written at a time. */
const BATCH_BYTES = 64 * 1024;

const DEFAULT_MAXIMUM_FILE_BYTES = 10 * 2 ** 20;

/**
 * Writes entries in their order, one write at a time. Its errors do not affect the callers that
 * record entries.
 */
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
  /**
   * The size of the file after this process wrote its opening line. A file that has no more than
   * this is not rotated.
   */
  #openedBytes = 0;
  /** Whether the file has its last line, and the next file must be begun. */
  #rotating = false;
  /** What the next file says about the previous one. */
  #rotatedAfter: WhatCameBefore = 'rotated';
  #failing = false;
  /** How many writes have ended. */
  #writes = 0;
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #endPause: (() => void) | undefined;
  #reportedClosed = false;

  constructor(found: FoundAuditFile, chain: Chain, name: HeldName, options: AuditLogOptions) {
    this.#file = found.file;
    this.#chain = chain;
    this.#name = name;
    this.#text = { includeText: options.includeText ?? false, redact: options.redact };
    this.#keyed = options.secret !== undefined;
    this.#maxFileBytes = options.maxFileBytes ?? DEFAULT_MAXIMUM_FILE_BYTES;
    this.#maxFiles = options.maxFiles ?? Infinity;
    this.#onError = guardedListener(options.onError ?? ((error) => warn(error.message)));
    this.#continueFile(found);
    this.#wake();
  }

  record(entry: AuditEntry): void {
    if (this.#closing !== undefined) return this.#reportClosed();
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

  /** Continues the file at its end. */
  #continueFile({ tail, follows }: FoundAuditFile): void {
    if (tail.open) this.#file.add(Buffer.from('\n'));
    // The process that filled the file ended before it began the next one.
    if (tail.last?.type === 'log-rotated' && !follows) {
      this.#rotating = true;
      this.#rotatedAfter = 'crash-between-files';
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
      while (!(await this.#flush())) {
        if (this.#closing !== undefined) break;
        await this.#pause();
      }
    } while (!this.#failing && this.#fill());
    this.#draining = undefined;
  }

  /** Whether everything that was added to the file has been written. */
  async #flush(): Promise<boolean> {
    const stall = setTimeout(() => {
      this.#fail(stalled());
    }, STALL_MS).unref();
    try {
      await this.#file.flush();
      if (this.#rotating) await this.#rotate();
      this.#writes += 1;
      this.#failing = false;
      this.#intake.holdBack(true);
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(stall);
    }
    return !this.#failing;
  }

  /**
   * Adds waiting records to the file, as many as one write takes. Returns false if there were none.
   */
  #fill(): boolean {
    const before = this.#file.bytes;
    const lines: Buffer[] = [];
    let bytes = 0;
    for (let next = this.#queue.peek(); next !== undefined; next = this.#queue.peek()) {
      const isFull = before + bytes + next.bytes > this.#maxFileBytes;
      if (isFull && before + bytes > this.#openedBytes) {
        this.#rotating = true;
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
    if (this.#rotating) {
      this.#addLogRecord({ type: 'log-rotated', nextFile: this.#file.number + 1 });
    }
    return this.#rotating || lines.length > 0;
  }

  async #rotate(): Promise<void> {
    const isThere = await this.#file.rotate();
    this.#rotating = false;
    this.#beginFile(this.#rotatedAfter);
    this.#rotatedAfter = 'rotated';
    if (!isThere) {
      this.#report(
        'its file was removed or renamed while the log was open, so its entries may be lost. The log goes on in a new file',
      );
    }
    await this.#file.flush();
    // The log continues even if an old file cannot be removed.
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
    // After `close` has set `#closing`, so that the writer tries only once more.
    await Promise.resolve();
    this.#endPause?.();
    if (await this.#isStuck(this.#writeRest())) this.#fail(stalled());
    const lost = this.#queue.length;
    if (this.#failing)
      this.#report(`${lost} waiting entries, and lines that were being written, are lost`);
    const closed = this.#file.close().catch((error: unknown) => {
      this.#report(`it cannot be closed: ${messageOf(error)}`, error);
    });
    await this.#isStuck(closed);
    await this.#name.release();
  }

  async #writeRest(): Promise<void> {
    this.#wake();
    await this.#intake.ready();
    this.#wake();
    await this.#draining;
    if (this.#failing) return;
    try {
      this.#addLogRecord({ type: 'log-closed' });
      await this.#file.flush();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Waits for work that writes, and returns true if a write of it does not end. */
  async #isStuck(work: Promise<void>): Promise<boolean> {
    for (;;) {
      const before = this.#writes;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, STALL_MS, true);
      });
      const isLate = await Promise.race([work.then(() => false), late]);
      clearTimeout(timer);
      if (!isLate || this.#writes === before) return isLate;
    }
  }

  #fail(error: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#intake.holdBack(false);
    this.#report(
      `it cannot be written: ${messageOf(error)}. Writing is tried again every second. If more than ${QUEUE_LIMIT_BYTES} bytes wait, further entries are dropped and counted`,
      error,
    );
  }

  #reportClosed(): void {
    if (this.#reportedClosed) return;
    this.#reportedClosed = true;
    this.#report('it was closed, but entries still arrive. Close it after its executors');
  }

  #report(what: string, cause?: unknown): void {
    const message = `Audit log ${this.#file.path}: ${what}.`;
    const details = { path: this.#file.path };
    this.#onError(new PtcError('AUDIT_LOG_UNAVAILABLE', message, { details, cause }));
  }
}

function stalled(): Error {
  return new Error(`a write did not finish within ${STALL_MS} ms`);
}

/** What came before the line that opens an existing file. */
function beforeOf({ last, torn }: AuditTail): WhatCameBefore {
  if (last?.type === 'log-closed' && torn === undefined) return 'closed';
  return last === undefined && torn === undefined ? 'new' : 'crash';
}
