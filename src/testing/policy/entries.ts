import type { AuditedCall, AuditEntry } from '../../audit/entry.ts';
import type { ToolCaller } from '../../tools/tool.ts';
import { LABELS } from './shop.ts';

export type CallEntry = Extract<AuditEntry, { readonly callId: string }> &
  Readonly<Record<string, unknown>>;

export function isOfCall(entry: AuditEntry): entry is CallEntry {
  return 'callId' in entry;
}

type Origin = Pick<AuditedCall, 'sessionId' | 'programId' | 'runId' | 'labels'>;

const NO_PROGRAM = { sessionId: undefined, programId: undefined, runId: undefined };

/** Where the entries of a call must say that it came from: its program, or the labels of a direct call. */
export function originOf(entries: readonly AuditEntry[], caller: ToolCaller): Origin {
  if (caller === 'direct') return { ...NO_PROGRAM, labels: LABELS };
  const program = entries.find((entry) => entry.type === 'program-started');
  if (program === undefined) return { ...NO_PROGRAM, labels: undefined };
  const { sessionId, programId, runId } = program;
  return { sessionId, programId, runId, labels: undefined };
}

export function originIn({
  sessionId,
  programId,
  runId,
  labels,
}: Partial<AuditedCall> = {}): Origin {
  return { sessionId, programId, runId, labels };
}

/** What is compared of an entry or an event. */
interface About {
  readonly type: string;
  readonly decision?: string;
  readonly outcome?: string;
  readonly error?: { readonly type: string };
  readonly reason?: string;
}

/** The type of an entry or event, its decision or outcome, and its reason. */
export function summaryOf(about: { readonly type: string }): string {
  const { type, decision, outcome, error, reason }: About = about;
  const ended = type === 'tool-call-ended' ? (outcome ?? error?.type ?? 'ok') : undefined;
  const words = [type, decision ?? ended].filter((word) => word !== undefined).join(' ');
  return reason === undefined ? words : `${words}: ${reason}`;
}

/** The summaries of the events that a listener gets if the log has these entries. */
export function eventsOf(entries: readonly CallEntry[]): string[] {
  const told = entries.filter(({ type }) => type !== 'tool-call-denied');
  const summaries = told.map((entry) =>
    summaryOf(entry).replace('approval-decided edited', 'approval-decided approved'),
  );
  return ['tool-call-started', ...summaries];
}
