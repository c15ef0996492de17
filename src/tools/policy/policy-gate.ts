import { hasMethod } from '../../shared/guards.ts';
import { PtcError } from '../../shared/errors.ts';
import type { OptionNames } from '../../shared/options/option-names.ts';
import { checkDelay, checkOneOf, invalidOption } from '../../shared/options/option-values.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import { warn } from '../../shared/process-warning.ts';
import type { Approver } from './approval.ts';
import { askAboutCall, decisionOf, withReason } from './ask-about-call.ts';
import type { AskBatchFunction } from './batches/approval-batch.ts';
import { CallGroup } from './batches/call-group.ts';
import type {
  ApprovalNeeded,
  CallGate,
  CallingUnit,
  GateRequest,
  GateResult,
} from './call-gate.ts';
import { ApprovalGrants, bookOf } from './grants/approval-grants.ts';
import type { GrantBook } from './grants/grant-book.ts';
import { GrantProposals } from './grants/grant-proposals.ts';
import { checkRules, decide, type PolicyCall, type PolicyRule } from './policy.ts';
import { checkRuleNames } from './rule-names.ts';
import type { ToolSet } from '../registry/tool-set.ts';

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
  /**
   * Keeps the grants that the approver gives, and lists and revokes them.
   * @default the approver cannot give grants
   */
  readonly grants?: ApprovalGrants;
  /**
   * What happens to the other deferred calls of a program (`ToolDefinition.whenAsked`) after one that
   * failed: they are not made, or they are.
   * @default 'stop'
   */
  readonly onDeferredFailure?: 'stop' | 'continue';
}

export const POLICY_NAMES: OptionNames<PolicyOptions> = {
  rules: 'array',
  approver: true,
  approvalTimeoutMs: 'number',
  grants: 'object',
  onDeferredFailure: true,
};

/**
 * Copies a policy, so that neither it nor its rules can change later: what its owner changes would
 * be for some of the calls only.
 * @throws PtcError `OPTION_INVALID`.
 */
export function copyPolicy(policy: PolicyOptions | undefined): PolicyOptions | undefined {
  return policy && Object.freeze({ ...policy, rules: checkRules(policy.rules) });
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
  readonly #rules: readonly PolicyRule[];
  readonly #approver: Approver | undefined;
  readonly #grants: GrantBook | undefined;
  readonly #onDeferredFailure: 'stop' | 'continue';

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(options: PolicyOptions) {
    if (typeof options !== 'object' || options === null) {
      throw invalidOption('policy', options, 'an object with rules');
    }
    const { rules, approver, approvalTimeoutMs = 300_000, grants } = options;
    const { onDeferredFailure = 'stop' } = options;
    this.#rules = checkRules(rules);
    if (!isApprover(approver)) {
      const expected =
        'a function, or an object with one named `ask`, and perhaps another one named `askBatch`';
      throw invalidOption('policy.approver', approver, expected);
    }
    if (approver === undefined && this.#rules.some(asks)) {
      const message =
        'A rule of the policy has the action ask, but there is no approver. Set policy.approver, or make the rule deny.';
      throw new PtcError('OPTION_INVALID', message, { details: { option: 'policy.approver' } });
    }
    checkDelay('policy.approvalTimeoutMs', approvalTimeoutMs);
    if (grants !== undefined && !(grants instanceof ApprovalGrants)) {
      throw invalidOption('policy.grants', grants, 'an ApprovalGrants');
    }
    checkOneOf('policy.onDeferredFailure', onDeferredFailure, ['stop', 'continue']);
    this.#onDeferredFailure = onDeferredFailure;
    this.#approver = approver;
    this.#grants = grants && bookOf(grants);
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
      checkRuleNames(gate.#rules, { sets, areUsed: false });
    }
    return gate;
  }

  /** Whether calls of a program are asked together, so that it must be known when it waits. */
  get asksTogether(): boolean {
    return this.#rules.some(({ group }) => group !== undefined) && hasAskBatch(this.#approver);
  }

  /** Whether an approver can be asked about calls. */
  get canAsk(): boolean {
    return this.#approver !== undefined;
  }

  /**
   * Checks the names in the rules before they are used.
   * @param sets - All tools that the rules may name.
   * @throws PtcError `OPTION_INVALID` if a rule names none of the tools.
   */
  checkNames(sets: readonly ToolSet[]): void {
    checkRuleNames(this.#rules, { sets, areUsed: true });
  }

  /** The gate for the calls of one program or run, with its own limit of approvals at a time. */
  callGate(unit: CallingUnit): CallGate {
    return this.#gate(unit, this.#groupOf(unit), false);
  }

  #gate(unit: CallingUnit, group: CallGroup | undefined, groupsAll: boolean): CallGate {
    const asking = {
      unit,
      grants: this.#grants,
      proposals: new GrantProposals(),
      timeoutMs: this.approvalTimeoutMs,
      decide: (call: PolicyCall) => this.#decide(call),
    };
    return {
      approvals: new Semaphore(OPEN_APPROVALS_PER_RUN),
      group,
      groupsAll,
      approver: this.#approver,
      onDeferredFailure: this.#onDeferredFailure,
      judge: (request) => this.#judge(request, group),
      useGrant: (request, needed) => this.#useGrant(request, needed, unit),
      ask: async (request, needed, waiter) => askAboutCall(request, needed, { ...asking, waiter }),
      forDeferred: () =>
        this.#gate(unit, this.#groupOf({ about: unit.about, isWaiting: () => true }), true),
      end: () => {
        group?.end();
        this.#grants?.end(unit);
      },
    };
  }

  /** The calls of a program that are asked together. */
  #groupOf({ about, isWaiting }: Pick<CallingUnit, 'about' | 'isWaiting'>): CallGroup | undefined {
    const approver = this.#approver;
    if (about === undefined || isWaiting === undefined || !hasAskBatch(approver)) return undefined;
    return new CallGroup({
      ask: async (batch, options) => approver.askBatch(batch, options),
      program: about,
      isWaiting,
      canGrant: this.#grants !== undefined,
      timeoutMs: this.approvalTimeoutMs,
    });
  }

  #judge(request: GateRequest, group: CallGroup | undefined): GateResult | ApprovalNeeded {
    const { call, onDecision } = request;
    const { action, reason, limits, group: wanted } = this.#decide(call);
    if (action === 'allow') return { passed: true, value: call.input, limits };
    const approver = this.#approver;
    if (action === 'ask' && approver !== undefined) {
      const together = wanted === undefined ? undefined : group;
      return { passed: undefined, approver, reason, limits, group: together };
    }
    onDecision?.(decisionOf(request, { decision: 'denied', reason }));
    return { passed: false, type: 'Denied', message: withReason('the policy denies it', reason) };
  }

  #useGrant(request: GateRequest, { reason }: ApprovalNeeded, unit: CallingUnit): boolean {
    const grant = this.#grants?.use(request.call.toolName, request.sent, unit);
    if (grant === undefined) return false;
    request.onDecision?.(decisionOf(request, { decision: 'granted', reason, grant }));
    return true;
  }

  #decide(call: PolicyCall): ReturnType<typeof decide> {
    const verdict = decide(this.#rules, call);
    if (verdict.fault !== undefined) warn(verdict.fault);
    return verdict;
  }
}

function asks({ action, repeatedCalls }: PolicyRule): boolean {
  return action === 'ask' || (repeatedCalls !== false && repeatedCalls?.action === 'ask');
}

function isApprover(approver: unknown): approver is Approver | undefined {
  if (approver === undefined || typeof approver === 'function') return true;
  if (!hasMethod(approver, 'ask')) return false;
  const { askBatch } = approver as { readonly askBatch?: unknown };
  return askBatch === undefined || hasAskBatch(approver);
}

function hasAskBatch(approver: unknown): approver is { readonly askBatch: AskBatchFunction } {
  return hasMethod(approver, 'askBatch');
}
