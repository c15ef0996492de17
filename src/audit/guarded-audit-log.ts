import { types } from 'node:util';
import { messageOf } from '../shared/errors.ts';
import { warn } from '../shared/process-warning.ts';
import type { AuditEntry, AuditLog } from './entry.ts';

/**
 * An audit log whose failures become warnings of the process. A log of the user's own may throw
 * although it must not, at moments when an error would leave a sandbox behind, or a call without an
 * answer.
 */
export class GuardedAuditLog implements AuditLog {
  readonly #log: AuditLog;

  constructor(log: AuditLog) {
    this.#log = log;
  }

  record(entry: AuditEntry): void {
    try {
      // Nothing waits for that of an async function. Its rejection would end the process.
      const recorded: unknown = this.#log.record(entry);
      if (types.isPromise(recorded)) recorded.catch((error: unknown) => warnOf('record', error));
    } catch (error) {
      warnOf('record', error);
    }
  }

  ready(): Promise<void> | undefined {
    try {
      return this.#log.ready()?.then(undefined, (error: unknown) => warnOf('ready', error));
    } catch (error) {
      warnOf('ready', error);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#log.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function warnOf(method: 'record' | 'ready', error: unknown): void {
  const effect = method === 'record' ? 'An entry is missing there' : 'Nothing waits for its room';
  warn(`${method} of the audit log threw: ${messageOf(error)}. ${effect}.`, 'PTC_AUDIT_FAILED');
}
