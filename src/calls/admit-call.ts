import { untilAborted } from '../shared/async/abort.ts';
import { timeInLoopTurn } from '../shared/async/event-loop-work.ts';
import { Permit } from '../shared/async/semaphore.ts';
import { messageOf } from '../shared/errors.ts';
import { toJsonText } from '../shared/json/json.ts';
import { parseCallJson } from '../protocol/call-json.ts';
import type { CallLimits } from '../protocol/frames.ts';
import { CALL_NOT_AWAITED } from '../tools/policy/approval.ts';
import type { ApprovalNeeded, CallGate, GateResult } from '../tools/policy/call-gate.ts';
import type { Tool, Validation } from '../tools/tool.ts';
import { ApprovalByTool } from './approval-by-tool.ts';
import type { CountedBefore, ExceededLimit } from './limits/call-counter.ts';
import { CountedCall, type LimitRefusal } from './limits/counted-call.ts';
import { timed } from './timed.ts';
import { WaitedFor } from './waited-for.ts';
import type { ToolInvocation } from './tool-invocation.ts';
import type { Deferral } from './tool-outcome.ts';

/** Whether a call may run its tool, and with which arguments. */
export type Admission = GateResult | CallToDefer | LimitRefusal | ValidatedCall;

/** A call about which the approver is asked when its program has ended. */
export interface CallToDefer extends Omit<Deferral, 'number'> {
  readonly passed: 'deferred';
  readonly counted: CountedCall;
}

type ValidatedCall =
  | { readonly passed: true; readonly value: unknown; readonly editedArguments?: undefined }
  | { readonly passed: false; readonly type: 'InvalidArguments'; readonly message: string };

/** The approver must be asked, but has as many requests of this program as it may have. */
interface WaitingForApprover {
  readonly passed: undefined;
  /** Resolves with false if nothing waits for the call any more. */
  readonly turn: Promise<boolean>;
}

/** A call that is being checked. */
interface Check {
  readonly policy: CallGate;
  readonly tool: Tool;
  readonly invocation: ToolInvocation;
  readonly approval: Permit;
  readonly waiter: WaitedFor;
  readonly counted: CountedCall;
  readonly byTool: ApprovalByTool;
}

/** Checks a call without a policy against its tool's schema and limits. */
export function admitFreely(tool: Tool, invocation: ToolInvocation): Admission {
  const input = validate(tool, invocation);
  if (!input.passed) return input;
  const counted = new CountedCall(tool, invocation);
  const exceeded = counted.exceeds(undefined, false);
  return exceeded === undefined ? input : counted.refuse(exceeded);
}

/**
 * Checks a call against its tool's schema and limits and the policy, and asks the approver if a rule,
 * a limit or the tool says so. This happens before the tool's time limit begins, because people may
 * have to decide. A call that passed has its permit again.
 * @param before - What was found when the call was counted. @default it is counted now
 */
export async function admitCall(
  policy: CallGate,
  tool: Tool,
  invocation: ToolInvocation,
  before?: CountedBefore,
): Promise<Admission> {
  const { storage } = invocation;
  const waiter = new WaitedFor(invocation);
  const approval = new Permit(policy.approvals);
  const counted = new CountedCall(tool, invocation, before);
  const byTool = new ApprovalByTool(tool, waiter);
  const check = { policy, tool, invocation, approval, waiter, counted, byTool };
  try {
    for (;;) {
      const result = await pass(check);
      if (result.passed !== undefined) return result;
      // Nothing refers to the arguments any more, so they take no memory while people decide.
      storage?.pack();
      if (!(await result.turn)) return NOTHING_WAITS;
      await storage?.unpack();
      // Up to a thousand calls get a place in a batch at the same moment.
      await timeInLoopTurn(invocation.origin.tenant);
    }
  } finally {
    approval.release();
    policy.group?.release(invocation.callId);
    waiter.end();
  }
}

const NOTHING_WAITS: Admission = { passed: false, type: 'Cancelled', message: CALL_NOT_AWAITED };

/** Checks the call, and asks the approver if a permit for that is free or already taken. */
async function pass(check: Check): Promise<Admission | WaitingForApprover> {
  const { policy, tool, invocation, approval, waiter, counted, byTool } = check;
  const { toolName, caller, callId, permit, limits, onDecision } = invocation;
  const { sessionId, labels } = invocation.origin;
  const sent = invocation.arguments;
  const input = validate(tool, invocation);
  if (!input.passed) return input;
  const { annotations } = tool;
  const call = { toolName, input: input.value, caller, callId, sessionId, labels, annotations };
  const validateEdited = (edited: unknown): Validation => validateUnframed(tool, edited, limits);
  const request = { validateEdited, call, sent, line: invocation.line, onDecision };
  const judged = policy.judge(request);
  if (judged.passed === false) return judged;
  // Before anybody is asked, so that calls that wait for the approver count too.
  const exceeded = counted.exceeds(judged.limits, policy.approver !== undefined);
  if (exceeded?.action === 'deny') return counted.refuse(exceeded);
  const said = judged.passed ? byTool.judge(judged, request, policy.approver) : undefined;
  // Its place for concurrent calls is kept, as while its tool runs.
  const verdict = said === undefined ? judged : await said;
  if (verdict.passed === false) return verdict;
  const asked = approvalNeeded(verdict, exceeded, policy.approver);
  const needed = asked && policy.groupsAll ? { ...asked, group: policy.group } : asked;
  const isAllowed = needed === undefined || policy.useGrant(request, needed);
  if (isAllowed) {
    // It may have waited for the approver, without its permit and with a place in a batch, whose
    // other calls must not wait for it.
    policy.group?.release(callId);
    await permit?.take();
    return { passed: true, value: input.value };
  }
  if (tool.whenAsked === 'defer' && invocation.deferrals !== undefined) {
    return { passed: 'deferred', counted, exceeded, reason: needed.reason };
  }
  const { group } = needed;
  // It may have waited for a place in a batch, whose other calls must not wait for it.
  if (group === undefined) policy.group?.release(callId);
  const sizeBytes = invocation.storage?.sizeBytes ?? 0;
  const turn =
    group === undefined ? approval.take(waiter.signal) : group.take({ callId, sizeBytes }, waiter);
  // Other calls continue meanwhile.
  permit?.release();
  if (turn !== undefined) return { passed: undefined, turn };
  const result = await policy.ask(request, needed, waiter);
  // The permit for the approver is kept until then: otherwise any number of decided calls could
  // wait.
  await untilReady(invocation);
  if (result.passed) await permit?.take();
  return result;
}

/** What the approver is asked, because of a rule, the tool or a limit; undefined if it is not. */
function approvalNeeded(
  verdict: Exclude<ReturnType<CallGate['judge']>, { readonly passed: false }>,
  exceeded: ExceededLimit | undefined,
  approver: CallGate['approver'],
): ApprovalNeeded | undefined {
  if (exceeded === undefined) return verdict.passed === undefined ? verdict : undefined;
  if (verdict.passed !== undefined) {
    return approver && { passed: undefined, approver, reason: exceeded.reason };
  }
  const { reason } = verdict;
  return {
    ...verdict,
    reason: reason === undefined ? exceeded.reason : `${reason}; ${exceeded.reason}`,
  };
}

/** Checks the call only against its tool's schema. */
export function validate(tool: Tool, invocation: ToolInvocation): ValidatedCall {
  const { arguments: sent, caller, limits, onValidated } = invocation;
  const input = timed(
    () => (caller === 'code' ? tool.validateInput(sent) : validateUnframed(tool, sent, limits)),
    onValidated,
  );
  return input.valid
    ? { passed: true, value: input.value }
    : { passed: false, type: 'InvalidArguments', message: input.message };
}

/**
 * Validates arguments that did not arrive in a frame: those of the model and of approvers. The limits
 * and checks are those of arguments in a frame. The tool gets a copy.
 */
function validateUnframed(tool: Tool, sent: unknown, limits: CallLimits | undefined): Validation {
  let text: string;
  try {
    text = toJsonText(sent, 'arguments');
  } catch (error) {
    return { valid: false, message: messageOf(error) };
  }
  const read = parseCallJson(text, limits);
  if (!read.ok) return { valid: false, message: `arguments: ${read.reason}` };
  return tool.validateInput(read.value);
}

/** Whether the program that made a call has ended or no longer waits for it. */
export function isAbandoned({ signal, callId, openCalls }: ToolInvocation): boolean {
  return signal.aborted || openCalls?.isGivenUp(callId) === true;
}

/**
 * Waits for what the tool waits for, such as room in the audit log, but no longer than its caller
 * waits.
 */
export function untilReady({ ready, signal }: ToolInvocation): Promise<void> | undefined {
  const room = ready?.();
  return room === undefined ? undefined : untilAborted(room, signal);
}
