import { createHash } from 'node:crypto';
import type { AuditTextKind } from './audit-entry.ts';

/** Texts longer than this are left out: one entry must not fill the queue. */
const MAXIMUM_TEXT_BYTES = 2 ** 20;

export interface AuditTextOptions {
  /** Whether programs and arguments are recorded in full, and not only as digests. */
  readonly includeText: boolean;
  /** Takes out of a text what must not be recorded. */
  readonly redact?: ((text: string, kind: AuditTextKind) => string) | undefined;
}

/** The digest and the size of a text as it was, and the text after redaction where it is asked for. */
export function describeText(
  kind: AuditTextKind,
  text: string,
  options: AuditTextOptions,
): Record<string, string | number> {
  const described = {
    [`${kind}Sha256`]: createHash('sha256').update(text).digest('hex'),
    [`${kind}Bytes`]: Buffer.byteLength(text),
  };
  if (!options.includeText) return described;
  const redacted = redactText(kind, text, options.redact);
  if (redacted === undefined) return { ...described, [`${kind}LeftOut`]: 'redaction-failed' };
  if (Buffer.byteLength(redacted) > MAXIMUM_TEXT_BYTES) {
    return { ...described, [`${kind}LeftOut`]: 'too-long' };
  }
  return { ...described, [kind]: redacted };
}

/** Undefined where the hook throws or gives no text: then nothing is known to be safe to record. */
function redactText(
  kind: AuditTextKind,
  text: string,
  redact: AuditTextOptions['redact'],
): string | undefined {
  if (redact === undefined) return text;
  try {
    const redacted: unknown = redact(text, kind);
    return typeof redacted === 'string' ? redacted : undefined;
  } catch {
    return undefined;
  }
}
