import { createHash } from 'node:crypto';
import { types } from 'node:util';
import type { AuditTextKind } from './entry.ts';

/** Longer texts are left out, so that one entry cannot fill the queue. */
const MAXIMUM_TEXT_BYTES = 2 ** 20;

export interface AuditTextOptions {
  /**
   * Whether programs and arguments are recorded as text. Otherwise only their digests and sizes
   * are.
   */
  readonly includeText: boolean;
  /** Removes from a text what must not be recorded. */
  readonly redact?: ((text: string, kind: AuditTextKind) => string) | undefined;
}

/** The digest and the size of the original text, and if asked for, the text after redaction. */
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

/**
 * Undefined if the hook throws or does not return text: then it is unknown what is safe to record.
 */
function redactText(
  kind: AuditTextKind,
  text: string,
  redact: AuditTextOptions['redact'],
): string | undefined {
  if (redact === undefined) return text;
  try {
    const redacted: unknown = redact(text, kind);
    // Nothing waits for it, and its rejection would end the process.
    if (types.isPromise(redacted)) redacted.catch(() => {});
    return typeof redacted === 'string' ? redacted : undefined;
  } catch {
    return undefined;
  }
}
