import { untilAborted } from '../shared/async/abort.ts';
import { Permit } from '../shared/async/semaphore.ts';
import { messageOf } from '../shared/errors.ts';
import { toJsonText } from '../shared/json/json.ts';
import { parseCallJson } from '../protocol/call-json.ts';
import type { CallLimits } from '../protocol/frames.ts';
import { CALL_NOT_AWAITED } from '../tools/policy/approval.ts';
import type { CallGate, GateResult } from '../tools/policy/policy-gate.ts';
import type { Tool, Validation } from '../tools/tool.ts';
import { timed } from './timed.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/** Whether a call may run its tool, and with which arguments. */
export type Admission =
  | GateResult
  | { readonly passed: false; readonly type: 'InvalidArguments'; readonly message: string };

/** The approver must be asked, but has as many requests of this program as it may have. */
interface WaitingForApprover {
  readonly passed: undefined;
  /** Resolves with false if nothing waits for the call any more. */
  readonly turn: Promise<boolean>;
}

/**
 * Checks a call against its tool's schema and the policy, and asks the approver if a rule says so.
 * This happens before the tool's time limit begins, because people may have to decide. A call that
 * passed has its permit again.
 */
export async function admitCall(
  policy: CallGate,
  tool: Tool,
  invocation: ToolInvocation,
): Promise<Admission> {
  const { storage } = invocation;
  const waiter = new CallWaiter(invocation);
  const approval = new Permit(policy.approvals);
  try {
    const first = await pass(policy, tool, invocation, approval, waiter);
    if (first.passed !== undefined) return first;
    // Nothing refers to the arguments any more, so they take no memory while people decide.
    storage?.pack();
    if (!(await first.turn)) return NOTHING_WAITS;
    await storage?.unpack();
    const second = await pass(policy, tool, invocation, approval, waiter);
    return second.passed === undefined ? NOTHING_WAITS : second;
  } finally {
    approval.release();
    waiter.end();
  }
}

/**
 * Whether something waits for a call. The signal is created when it is asked for, because most
 * calls are decided at once.
 */
class CallWaiter {
  readonly #invocation: ToolInvocation;
  #controller: AbortController | undefined;

  constructor(invocation: ToolInvocation) {
    this.#invocation = invocation;
  }

  /** Fires if the program ends or gives the call up. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { signal, callId, openCalls } = this.#invocation;
      signal.addEventListener('abort', this.#abort);
      openCalls?.enter(callId, this.#abort);
      if (signal.aborted) this.#abort();
    }
    return this.#controller.signal;
  }

  end(): void {
    if (this.#controller === undefined) return;
    const { signal, callId, openCalls } = this.#invocation;
    signal.removeEventListener('abort', this.#abort);
    openCalls?.leave(callId);
  }

  readonly #abort = (): void => this.#controller?.abort(this.#invocation.signal.reason);
}

const NOTHING_WAITS: Admission = { passed: false, type: 'Cancelled', message: CALL_NOT_AWAITED };

/** Checks the call, and asks the approver if a permit for that is free or already taken. */
async function pass(
  policy: CallGate,
  tool: Tool,
  invocation: ToolInvocation,
  approval: Permit,
  waiter: CallWaiter,
): Promise<Admission | WaitingForApprover> {
  const { toolName, caller, callId, permit, limits, onDecision } = invocation;
  const { sessionId, labels } = invocation.origin;
  const sent = invocation.arguments;
  const input = validate(tool, invocation);
  if (!input.passed) return input;
  const { annotations } = tool;
  const call = { toolName, input: input.value, caller, callId, sessionId, labels, annotations };
  const validateEdited = (edited: unknown): Validation => validateUnframed(tool, edited, limits);
  const request = { validateEdited, call, sent, onDecision };
  const verdict = policy.judge(request);
  if (verdict.passed !== undefined) return verdict;
  // Other calls continue meanwhile.
  permit?.release();
  const turn = approval.take(waiter.signal);
  if (turn !== undefined) return { passed: undefined, turn };
  const result = await policy.ask(request, verdict, waiter.signal);
  // The permit for the approver is kept until then: otherwise any number of decided calls could
  // wait.
  await untilReady(invocation);
  if (result.passed) await permit?.take();
  return result;
}

/** Checks the call only against its tool's schema. */
export function validate(tool: Tool, invocation: ToolInvocation): Admission {
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

/**
 * Waits for what the tool waits for, such as room in the audit log, but no longer than its caller
 * waits.
 */
export function untilReady({ ready, signal }: ToolInvocation): Promise<void> | undefined {
  const room = ready?.();
  return room === undefined ? undefined : untilAborted(room, signal);
}
