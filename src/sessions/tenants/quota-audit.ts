import type { AuditSink, QuotaExceededEntry } from '../../audit/entry.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { PtcError } from '../../shared/errors.ts';

/** Where a refusal is recorded. */
export interface QuotaAudit {
  readonly audit: AuditSink | undefined;
  /** The session of the program that was refused, if it is open. */
  readonly sessionId?: string | undefined;
  /** Ends the wait for room in the audit log. */
  readonly stop: AbortSignal | undefined;
}

/** Records an error in the audit log if it is `QUOTA_EXCEEDED`. Does nothing for other errors. */
export async function recordQuotaRefusal(
  error: unknown,
  { audit, sessionId, stop }: QuotaAudit,
): Promise<void> {
  if (audit === undefined || !PtcError.isInstance(error) || error.code !== 'QUOTA_EXCEEDED') return;
  const { label, tenant, quota, limit } = error.details as Omit<QuotaExceededEntry, 'type'>;
  audit.record({ type: 'quota-exceeded', label, tenant, quota, limit, sessionId });
  const recorded = audit.ready();
  if (recorded !== undefined) await untilAborted(recorded, stop);
}
