import { messageOf } from '../shared/errors.ts';
import { warn } from '../shared/process-warning.ts';
import { CALL_NOT_AWAITED } from '../tools/policy/approval.ts';
import { decisionOf, withReason } from '../tools/policy/ask-about-call.ts';
import type {
  ApprovalNeeded,
  CallGate,
  GateRequest,
  GateResult,
} from '../tools/policy/call-gate.ts';
import type { CallWaiter } from '../tools/policy/call-waiter.ts';
import { needsApprovalOf, type NeedsApproval } from '../tools/needs-approval.ts';
import type { Tool } from '../tools/tool.ts';

type Allowed = Extract<GateResult, { passed: true }>;

/** What came of asking the tool: whether the call needs approval, or why it cannot be made. */
type Answer = boolean | 'cancelled' | { readonly problem: string };

/** What a tool says about one of its calls. It is asked once, although the call may be checked twice. */
export class ApprovalByTool {
  readonly #tool: Tool;
  readonly #needsApproval: NeedsApproval | undefined;
  readonly #waiter: CallWaiter;
  #answer: Answer | undefined;

  constructor(tool: Tool, waiter: CallWaiter) {
    this.#tool = tool;
    this.#needsApproval = needsApprovalOf(tool);
    this.#waiter = waiter;
  }

  /**
   * Decides about a call that the rules allow. Undefined if the tool says nothing, as most do. Never
   * rejects: the call is refused if the tool gives no answer, or if nobody can be asked.
   */
  judge(
    allowed: Allowed,
    request: GateRequest,
    approver: CallGate['approver'],
  ): Promise<GateResult | ApprovalNeeded> | undefined {
    const needsApproval = this.#needsApproval;
    return needsApproval && this.#judge(needsApproval, allowed, request, approver);
  }

  async #judge(
    needsApproval: NeedsApproval,
    allowed: Allowed,
    request: GateRequest,
    approver: CallGate['approver'],
  ): Promise<GateResult | ApprovalNeeded> {
    this.#answer ??= await this.#ask(needsApproval, request);
    const answer = this.#answer;
    if (answer === 'cancelled') {
      return { passed: false, type: 'Cancelled', message: CALL_NOT_AWAITED };
    }
    if (answer === false) return allowed;
    if (answer !== true) return refuse(request, answer.problem);
    if (approver === undefined) return refuse(request, NO_APPROVER);
    return { passed: undefined, approver, reason: REASON };
  }

  /** Takes no longer than the tool may, and than something waits for the call. */
  async #ask(needsApproval: NeedsApproval, { call }: GateRequest): Promise<Answer> {
    const { name, timeoutMs } = this.#tool;
    const waiter = this.#waiter;
    if (waiter.isOver) return 'cancelled';
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        clearTimeout(timer);
        stopListening();
        resolve(answer);
      };
      const late = `its needsApproval gave no answer within ${timeoutMs} ms`;
      const timer = setTimeout(() => settle({ problem: late }), timeoutMs);
      const stopListening = waiter.onOver(() => settle('cancelled'));
      needsApproval(call.input, call.callId).then(settle, (error: unknown) => {
        // Only the host learns what was thrown: the caller is the model's code.
        if (!waiter.isOver) {
          warn(`needsApproval of the tool ${name} failed: ${JSON.stringify(messageOf(error))}`);
        }
        settle({ problem: 'its needsApproval failed' });
      });
    });
  }
}

const REASON = 'the tool says that it needs approval (needsApproval)';

const NO_APPROVER = 'it needs approval, and the policy has no approver';

function refuse(request: GateRequest, reason: string): GateResult {
  request.onDecision?.(decisionOf(request, { decision: 'denied', reason }));
  return { passed: false, type: 'Rejected', message: withReason('it was not approved', reason) };
}
