import { copyJson } from '../../shared/json/copy-json.ts';
import {
  approvalRequest,
  askApprover,
  CALL_NOT_AWAITED,
  type ApprovalEnd,
  type SentCall,
} from './approval.ts';
import type { ApprovalRequest, AskedRequest } from './approval-request.ts';
import type {
  ApprovalNeeded,
  CallDecision,
  CallingUnit,
  GateRequest,
  GateResult,
} from './call-gate.ts';
import type { CallWaiter } from './call-waiter.ts';
import type { BatchMember } from './batches/open-batch.ts';
import type { GrantBook } from './grants/grant-book.ts';
import type { GrantProposals } from './grants/grant-proposals.ts';
import type { PolicyCall, PolicyVerdict } from './policy.ts';

export interface AskingOptions {
  readonly unit: CallingUnit;
  /** Undefined if approvers cannot give grants. */
  readonly grants: GrantBook | undefined;
  /** What was proposed to the approver of the program or run. */
  readonly proposals: GrantProposals;
  readonly timeoutMs: number;
  /** The decision of the rules. */
  readonly decide: (call: PolicyCall) => PolicyVerdict;
  readonly waiter: CallWaiter;
}

/** Asks the approver about a call, alone or in the batch in which it has a place. Never rejects. */
export async function askAboutCall(
  gateRequest: GateRequest,
  needed: ApprovalNeeded,
  { unit, grants, decide, ...asking }: AskingOptions,
): Promise<GateResult> {
  const { call, onDecision } = gateRequest;
  const { reason } = needed;
  let request: AskedRequest | undefined;
  const onAsked = (asked: AskedRequest): void => {
    request = asked;
    onDecision?.(decisionOf(gateRequest, { decision: 'asked', reason, request }));
  };
  const read = (edited: unknown): ReadEdited => readEdited(edited, gateRequest, decide);
  const problemOf = (edited: unknown): string | undefined => read(edited).problem;
  const canGrant = grants !== undefined;
  const answer = await answerTo(gateRequest, needed, { ...asking, canGrant, onAsked, problemOf });
  // The approver has not seen it.
  if (request === undefined) return CANCELLED;
  const end = answer.decision === 'approved' ? valueOf(answer, call.input, read) : answer;
  if (end.decision === 'approved') {
    const { decision, edited, arguments: approved } = end;
    const grant = end.grant && grants?.add(call.toolName, end.grant, unit);
    const made = { decision, reason, request, approved, edited, grant };
    onDecision?.(decisionOf(gateRequest, made));
    return { passed: true, value: end.value, ...(edited && { editedArguments: approved }) };
  }
  onDecision?.(decisionOf(gateRequest, { ...end, request }));
  if (end.decision === 'cancelled') {
    return { passed: false, type: 'Cancelled', message: end.reason };
  }
  const message = withReason('it was not approved', end.reason);
  return { passed: false, type: 'Rejected', message };
}

interface AnswerOptions extends Pick<AskingOptions, 'timeoutMs' | 'waiter' | 'proposals'> {
  readonly canGrant: boolean;
  readonly onAsked: BatchMember['onAsked'];
  readonly problemOf: BatchMember['problemOf'];
}

async function answerTo(
  gateRequest: GateRequest,
  { approver, reason, group }: ApprovalNeeded,
  { timeoutMs, waiter, canGrant, proposals, onAsked, problemOf }: AnswerOptions,
): Promise<ApprovalEnd> {
  const { call, line, sent } = gateRequest;
  const create = (): ApprovalRequest => {
    const proposal =
      canGrant && call.caller === 'code' ? proposals.propose(call.toolName, line, sent) : undefined;
    const about = { reason, canGrant, timeoutMs, line, proposal };
    return approvalRequest(sentCall(gateRequest), about);
  };
  if (group !== undefined) {
    return group.ask({ callId: call.callId, sent, request: create, onAsked, problemOf }, waiter);
  }
  if (waiter.isOver) return { decision: 'cancelled', reason: CALL_NOT_AWAITED };
  const request = create();
  const { id, expiresAtMs } = request;
  onAsked({ id, expiresAtMs });
  return askApprover(approver, request, { sent, timeoutMs, signal: waiter.signal });
}

const CANCELLED: GateResult = { passed: false, type: 'Cancelled', message: CALL_NOT_AWAITED };

type Approved = Extract<ApprovalEnd, { decision: 'approved' }>;

/** What the tool gets after arguments were edited, or why it gets nothing. */
type ReadEdited =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** An approver cannot exceed the schema and the rules: it cannot approve a call that they deny. */
function readEdited(
  edited: unknown,
  { validateEdited, call }: GateRequest,
  decide: AskingOptions['decide'],
): ReadEdited {
  const input = validateEdited(edited);
  if (!input.valid) {
    return { problem: `the approver’s own arguments do not fit: ${input.message}` };
  }
  const { action, reason } = decide({ ...call, input: input.value });
  if (action !== 'deny') return { value: input.value };
  const what = 'the policy denies the approver’s own arguments';
  return { problem: withReason(what, reason) };
}

function valueOf(
  approval: Approved,
  input: unknown,
  read: (edited: unknown) => ReadEdited,
): (Approved & { readonly value: unknown }) | Exclude<ApprovalEnd, Approved> {
  if (!approval.edited) return { ...approval, value: input };
  const edited = read(approval.arguments);
  if (edited.problem !== undefined) return { decision: 'rejected', reason: edited.problem };
  // A copy, as the tool gets one: the approver may change its object for another call before this one is
  // recorded. Their depth was checked.
  return { ...approval, arguments: copyJson(approval.arguments), value: edited.value };
}

function sentCall({ call, sent }: GateRequest): SentCall {
  const { toolName, caller, callId, sessionId, labels, annotations } = call;
  return { toolName, caller, callId, sessionId, labels, annotations, arguments: sent };
}

/** What was decided about a call. */
interface MadeDecision extends Pick<CallDecision, 'decision' | 'reason'> {
  readonly request?: AskedRequest | undefined;
  readonly grant?: CallDecision['grant'];
  readonly edited?: boolean;
  /** @default the arguments as they were sent */
  readonly approved?: unknown;
}

/** Written out: an object that begins with a spread takes ten times the time and memory. */
export function decisionOf({ call, sent }: GateRequest, made: MadeDecision): CallDecision {
  const { toolName, caller, callId, sessionId, labels, annotations } = call;
  const { decision, reason, request, grant, edited = false, approved = sent } = made;
  return {
    toolName,
    caller,
    callId,
    sessionId,
    labels,
    annotations,
    arguments: approved,
    decision,
    edited,
    reason,
    request,
    grant,
  };
}

export function withReason(what: string, reason: string | undefined): string {
  return reason === undefined || reason === '' ? what : `${what}: ${reason}`;
}
