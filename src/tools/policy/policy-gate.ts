import { hasMethod } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import type { OptionNames } from '../../shared/options/option-names.ts';
import { checkDelay, invalidOption } from '../../shared/options/option-values.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import { warn } from '../../shared/process-warning.ts';
import {
  approvalRequest,
  askApprover,
  CALL_NOT_AWAITED,
  type ApprovalEnd,
  type ApprovalRequest,
  type Approver,
  type SentCall,
} from './approval.ts';
import { checkRules, decide, type PolicyCall, type PolicyRule } from './policy.ts';
import { checkRuleNames } from './rule-names.ts';
import type { ToolSet } from '../registry.ts';
import type { Tool } from '../tool.ts';

export interface PolicyOptions {
  /** The first rule that applies to a call decides. A call to which none applies is allowed. */
  readonly rules: readonly PolicyRule[];
  /** Decides the calls of rules with the action `ask`. */
  readonly approver?: Approver;
  /**
   * How long a call may wait for the approver, in milliseconds. Then it is rejected.
   * @default 300000
   */
  readonly approvalTimeoutMs?: number;
}

export const POLICY_NAMES: OptionNames<PolicyOptions> = {
  rules: 'array',
  approver: true,
  approvalTimeoutMs: 'number',
};

/** A decision of the policy about a call. A call that is allowed at once has none. */
export interface CallDecision extends SentCall {
  /** `asked` is followed by one of the others. `denied` comes alone. */
  readonly decision: 'denied' | 'asked' | ApprovalEnd['decision'];
  /** As the caller sent them, or as the approver changed them. */
  readonly arguments: unknown;
  /** Whether the approver changed the arguments. */
  readonly edited: boolean;
  /** The reason of the rule, or of the approver that rejects. */
  readonly reason: string | undefined;
  /** The request to the approver; undefined for `denied`, which no approver decides. */
  readonly request: Pick<ApprovalRequest, 'id' | 'expiresAtMs'> | undefined;
}

/** A call that the policy must decide. */
export interface GateRequest {
  /** Validates arguments that an approver edited. */
  readonly validateEdited: Tool['validateInput'];
  readonly call: PolicyCall;
  /** The arguments before validation. */
  readonly sent: unknown;
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
}

export type GateResult =
  /** `value` is what the tool gets. */
  | { readonly passed: true; readonly value: unknown }
  | {
      readonly passed: false;
      readonly type: 'Denied' | 'Rejected' | 'Cancelled';
      readonly message: string;
    };

/** The approver must be asked. */
export interface ApprovalNeeded {
  readonly passed: undefined;
  readonly approver: Approver;
  /** The reason of the rule. */
  readonly reason: string | undefined;
}

/** The policy for the calls of one program, or for the direct calls of one run. */
export interface CallGate {
  /** Limits the calls that wait for the approver. A caller of `ask` must have a permit. */
  readonly approvals: Semaphore;
  /** Whether the rules allow the call. Never throws. */
  judge(request: GateRequest): GateResult | ApprovalNeeded;
  /**
   * Asks the approver whether the call may run, and with which arguments. The time limit of the
   * approval begins now, and the program's time limit pauses. Never rejects.
   * @param signal - Fires if nothing waits for the call's result any more.
   */
  ask(request: GateRequest, needed: ApprovalNeeded, signal: AbortSignal): Promise<GateResult>;
}

/**
 * A person can judge only a few requests at a time, and one program must not fill the approver's
 * list.
 */
const OPEN_APPROVALS_PER_RUN = 10;

/**
 * The policy of an executor: it applies the rules, and then asks the approver if a rule says so.
 */
export class PolicyGate {
  readonly approvalTimeoutMs: number;
  readonly #given: readonly PolicyRule[];
  readonly #rules: readonly PolicyRule[];
  readonly #approver: Approver | undefined;

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(options: PolicyOptions) {
    if (typeof options !== 'object' || options === null) {
      throw invalidOption('policy', options, 'an object with rules');
    }
    const { rules, approver, approvalTimeoutMs = 300_000 } = options;
    this.#rules = checkRules(rules);
    this.#given = [...rules];
    if (!isApprover(approver)) {
      const expected = 'a function, or an object with one named `ask`';
      throw invalidOption('policy.approver', approver, expected);
    }
    if (approver === undefined && this.#rules.some(({ action }) => action === 'ask')) {
      const message =
        'A rule of the policy has the action ask, but there is no approver. Set policy.approver, or make the rule deny.';
      throw new PtcError('OPTION_INVALID', message, { details: { option: 'policy.approver' } });
    }
    checkDelay('policy.approvalTimeoutMs', approvalTimeoutMs);
    this.#approver = approver;
    this.approvalTimeoutMs = approvalTimeoutMs;
  }

  /**
   * The gate of an option; undefined if the option is left out.
   * @param sets - All tools that the rules may name, as far as they are known now.
   * @throws PtcError `OPTION_INVALID`.
   */
  static from(
    options: PolicyOptions | undefined,
    sets: readonly ToolSet[],
  ): PolicyGate | undefined {
    const gate = options && new PolicyGate(options);
    if (gate !== undefined) {
      checkRuleNames(gate.#rules, { sets, areUsed: false, given: gate.#given });
    }
    return gate;
  }

  /**
   * Checks the names in the rules before they are used.
   * @param sets - All tools that the rules may name.
   * @throws PtcError `OPTION_INVALID` if a rule names none of the tools.
   */
  checkNames(sets: readonly ToolSet[]): void {
    checkRuleNames(this.#rules, { sets, areUsed: true, given: this.#given });
  }

  /** The gate for the calls of one program or run, with its own limit of approvals at a time. */
  callGate(): CallGate {
    return {
      approvals: new Semaphore(OPEN_APPROVALS_PER_RUN),
      judge: (request) => this.#judge(request),
      ask: async (request, needed, signal) => this.#ask(request, needed, signal),
    };
  }

  #judge(request: GateRequest): GateResult | ApprovalNeeded {
    const { call, onDecision } = request;
    const { action, reason } = this.#decide(call);
    if (action === 'allow') return { passed: true, value: call.input };
    if (action === 'ask' && this.#approver !== undefined) {
      return { passed: undefined, approver: this.#approver, reason };
    }
    const denied = { edited: false, reason, request: undefined };
    onDecision?.({ ...sentCall(request), decision: 'denied', ...denied });
    return { passed: false, type: 'Denied', message: withReason('the policy denies it', reason) };
  }

  async #ask(
    gateRequest: GateRequest,
    { approver, reason }: ApprovalNeeded,
    signal: AbortSignal,
  ): Promise<GateResult> {
    if (signal.aborted) return CANCELLED;
    const { validateEdited, call, onDecision } = gateRequest;
    const timeoutMs = this.approvalTimeoutMs;
    const sent = sentCall(gateRequest);
    const request = approvalRequest(sent, reason, timeoutMs);
    const { id, expiresAtMs } = request;
    const asked = { ...sent, edited: false, reason, request: { id, expiresAtMs } };
    onDecision?.({ ...asked, decision: 'asked' });
    const answer = await askApprover(approver, request, { timeoutMs, signal });
    const end =
      answer.decision === 'approved' ? this.#readApproval(answer, validateEdited, call) : answer;
    if (end.decision === 'approved') {
      const { edited } = end;
      onDecision?.({ ...asked, decision: 'approved', arguments: end.arguments, edited });
      return { passed: true, value: end.value };
    }
    onDecision?.({ ...asked, decision: end.decision, reason: end.reason });
    if (end.decision === 'cancelled') {
      return { passed: false, type: 'Cancelled', message: end.reason };
    }
    const message = withReason('it was not approved', end.reason);
    return { passed: false, type: 'Rejected', message };
  }

  /**
   * An approver cannot exceed the schema and the rules: it cannot approve a call that they deny.
   */
  #readApproval(
    approval: Approved,
    validateEdited: GateRequest['validateEdited'],
    call: PolicyCall,
  ): (Approved & { readonly value: unknown }) | Exclude<ApprovalEnd, Approved> {
    if (!approval.edited) return { ...approval, value: call.input };
    const input = validateEdited(approval.arguments);
    if (!input.valid) {
      const reason = `the approver’s own arguments do not fit: ${input.message}`;
      return { decision: 'rejected', reason };
    }
    const { action, reason } = this.#decide({ ...call, input: input.value });
    if (action === 'deny') {
      const what = 'the policy denies the approver’s own arguments';
      return { decision: 'rejected', reason: withReason(what, reason) };
    }
    return { ...approval, value: input.value };
  }

  #decide(call: PolicyCall): ReturnType<typeof decide> {
    const verdict = decide(this.#rules, call);
    if (verdict.fault !== undefined) warn(verdict.fault);
    return verdict;
  }
}

const CANCELLED: GateResult = { passed: false, type: 'Cancelled', message: CALL_NOT_AWAITED };

type Approved = Extract<ApprovalEnd, { decision: 'approved' }>;

function sentCall({ call, sent }: GateRequest): SentCall {
  const { input: _input, ...asked } = call;
  return { ...asked, arguments: sent };
}

function isApprover(approver: unknown): approver is Approver | undefined {
  return approver === undefined || typeof approver === 'function' || hasMethod(approver, 'ask');
}

function withReason(what: string, reason: string | undefined): string {
  return reason === undefined || reason === '' ? what : `${what}: ${reason}`;
}
