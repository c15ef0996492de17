import type { Semaphore } from '../../shared/async/semaphore.ts';
import type { CountLimits } from '../limits/count-limits.ts';
import type { Tool } from '../tool.ts';
import type { ApprovalEnd, Approver, SentCall } from './approval.ts';
import type { AskingProgram } from './batches/approval-batch.ts';
import type { CallGroup } from './batches/call-group.ts';
import type { CallWaiter } from './call-waiter.ts';
import type { AskedRequest } from './approval-request.ts';
import type { GrantingUnit, GrantUse } from './grants/grant-book.ts';
import type { PolicyCall } from './policy.ts';

/** A decision of the policy about a call. A call that is allowed at once has none. */
export interface CallDecision extends SentCall {
  /** `asked` is followed by one of the others. `denied` and `granted` come alone. */
  readonly decision: 'denied' | 'granted' | 'asked' | ApprovalEnd['decision'];
  /** As the caller sent them, or as the approver changed them. */
  readonly arguments: unknown;
  /** Whether the approver changed the arguments. */
  readonly edited: boolean;
  /**
   * The reason of the rule, or of the approver that rejects, what was counted, or why nobody can
   * approve it.
   */
  readonly reason: string | undefined;
  /** The limit that a denied call exceeded, such as `maxCalls.run`. @default it exceeded none */
  readonly limit?: string;
  /** The request to the approver; undefined for `denied` and `granted`, which no approver decides. */
  readonly request: AskedRequest | undefined;
  /** The grant that covers the call, or that was given with its approval. */
  readonly grant: GrantUse | undefined;
}

/** A call that the policy must decide. */
export interface GateRequest {
  /** Validates arguments that an approver edited. */
  readonly validateEdited: Tool['validateInput'];
  readonly call: PolicyCall;
  /** The arguments before validation. */
  readonly sent: unknown;
  /** The line of the program that made the call. @default not known */
  readonly line?: number | undefined;
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
}

export type GateResult =
  /** `value` is what the tool gets. */
  | {
      readonly passed: true;
      readonly value: unknown;
      /** The arguments that the approver gave instead. @default those that the caller sent */
      readonly editedArguments?: unknown;
      /** Those of the rule that allows it. */
      readonly limits?: CountLimits | undefined;
    }
  | {
      readonly passed: false;
      readonly type: 'Denied' | 'Rejected' | 'Cancelled';
      readonly message: string;
    };

/** The approver must be asked. */
export interface ApprovalNeeded {
  readonly passed: undefined;
  readonly approver: Approver;
  /** Why, such as the reason of the rule. */
  readonly reason: string | undefined;
  /** Those of the rule. */
  readonly limits?: CountLimits | undefined;
  /** The calls with which it is asked. @default it is asked alone */
  readonly group?: CallGroup | undefined;
}

/** The policy for the calls of one program, or for the direct calls of one run. */
export interface CallGate {
  /**
   * Limits the calls that wait for the approver. A caller of `ask` must have a permit, or a place in
   * the group of the call.
   */
  readonly approvals: Semaphore;
  /** The calls that are asked together; undefined if each is asked alone. */
  readonly group: CallGroup | undefined;
  /** Whether all calls that ask are asked in this group, whatever their rules say. */
  readonly groupsAll: boolean;
  /** Undefined if nobody can be asked. */
  readonly approver: Approver | undefined;
  /** As `PolicyOptions.onDeferredFailure`. */
  readonly onDeferredFailure: 'stop' | 'continue';
  /** Whether the rules allow the call. Never throws. */
  judge(request: GateRequest): GateResult | ApprovalNeeded;
  /** Whether a grant covers a call that would ask. It is used then. */
  useGrant(request: GateRequest, needed: ApprovalNeeded): boolean;
  /**
   * Asks the approver whether the call may run, and with which arguments. The time limit of the
   * approval begins now, and the program's time limit pauses. Never rejects.
   */
  ask(request: GateRequest, needed: ApprovalNeeded, waiter: CallWaiter): Promise<GateResult>;
  /**
   * The gate for the deferred calls of the program, when it has ended: all about which the approver
   * must be asked are asked together, if the approver can decide batches. Each call must first
   * `arrive` in the group of the gate.
   */
  forDeferred(): CallGate;
  /** The program or run has ended, and with it what was granted for it. */
  end(): void;
}

/** The program, or the direct calls of a run, that a gate is for. */
export interface CallingUnit extends GrantingUnit {
  /** Whether the run ends with it. */
  readonly endsRun: boolean;
  /** The program, as an approver sees it who decides several of its calls together. @default each is asked alone */
  readonly about?: AskingProgram | undefined;
  /**
   * Whether nothing in the program can go on before a call is answered or a timer fires.
   * @default not known: only its deferred calls are asked together
   */
  readonly isWaiting?: (() => boolean) | undefined;
}
