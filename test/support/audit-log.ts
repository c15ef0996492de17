import type { AuditEntry, AuditLog } from '../../src/audit/entry.ts';

/** An audit log with room for everything. @param record - Gets each entry. */
export function auditLog(record: (entry: AuditEntry) => void): AuditLog {
  return {
    record,
    ready: () => undefined,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
