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
  /** Fires if nothing waits for the call any more. */
  readonly signal: AbortSignal;
}

/** Asks the approver about a call, alone or in the batch in which it has a place. Never rejects. */
export async function askAboutCall(
  gateRequest: GateRequest,
  needed: ApprovalNeeded,
  { unit, grants, decide, ...asking }: AskingOptions,
): Promise<GateResult> {
  const { call, onDecision } = gateRequest;
  let asked: Omit<CallDecision, 'decision'> | undefined;
  const onAsked = (request: AskedRequest): void => {
    const { reason } = needed;
    asked = { ...sentCall(gateRequest), edited: false, reason, request, grant: undefined };
    onDecision?.({ ...asked, decision: 'asked' });
  };
  const read = (edited: unknown): ReadEdited => readEdited(edited, gateRequest, decide);
  const problemOf = (edited: unknown): string | undefined => read(edited).problem;
  const canGrant = grants !== undefined;
  const answer = await answerTo(gateRequest, needed, { ...asking, canGrant, onAsked, problemOf });
  // The approver has not seen it.
  if (asked === undefined) return CANCELLED;
  const end = answer.decision === 'approved' ? valueOf(answer, call.input, read) : answer;
  if (end.decision === 'approved') {
    const { edited, arguments: approved } = end;
    const grant = end.grant && grants?.add(call.toolName, end.grant, unit);
    onDecision?.({ ...asked, decision: 'approved', arguments: approved, edited, grant });
    return { passed: true, value: end.value };
  }
  onDecision?.({ ...asked, decision: end.decision, reason: end.reason });
  if (end.decision === 'cancelled') {
    return { passed: false, type: 'Cancelled', message: end.reason };
  }
  const message = withReason('it was not approved', end.reason);
  return { passed: false, type: 'Rejected', message };
}

interface AnswerOptions extends Pick<AskingOptions, 'timeoutMs' | 'signal' | 'proposals'> {
  readonly canGrant: boolean;
  readonly onAsked: BatchMember['onAsked'];
  readonly problemOf: BatchMember['problemOf'];
}

async function answerTo(
  gateRequest: GateRequest,
  { approver, reason, group }: ApprovalNeeded,
  { timeoutMs, signal, canGrant, proposals, onAsked, problemOf }: AnswerOptions,
): Promise<ApprovalEnd> {
  const { call, line, sent } = gateRequest;
  const create = (): ApprovalRequest => {
    const proposal =
      canGrant && call.caller === 'code' ? proposals.propose(call.toolName, line, sent) : undefined;
    const about = { reason, canGrant, timeoutMs, line, proposal };
    return approvalRequest(sentCall(gateRequest), about);
  };
  if (group !== undefined) {
    return group.ask({ callId: call.callId, request: create, onAsked, problemOf }, signal);
  }
  if (signal.aborted) return { decision: 'cancelled', reason: CALL_NOT_AWAITED };
  const request = create();
  const { id, expiresAtMs } = request;
  onAsked({ id, expiresAtMs });
  return askApprover(approver, request, { timeoutMs, signal });
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
  return edited.problem === undefined
    ? { ...approval, value: edited.value }
    : { decision: 'rejected', reason: edited.problem };
}

export function sentCall({ call, sent }: GateRequest): SentCall {
  const { input: _input, ...asked } = call;
  return { ...asked, arguments: sent };
}

export function withReason(what: string, reason: string | undefined): string {
  return reason === undefined || reason === '' ? what : `${what}: ${reason}`;
}
