import type { ApprovalGrant } from './grants/grant.ts';
import type { PolicyCall } from './policy.ts';

/** A call that waits for a decision. Times are milliseconds since the epoch. */
export interface ApprovalRequest extends Omit<PolicyCall, 'input'> {
  /** Cannot be guessed, and is never used again. */
  readonly id: string;
  /**
   * A copy of the arguments as the caller sent them, before validation. Edited arguments
   * (`Approval.arguments`) have the same form.
   */
  readonly arguments: unknown;
  /** The reason of the rule that asks. */
  readonly reason: string | undefined;
  readonly requestedAtMs: number;
  /** When the request expires, which rejects the call. */
  readonly expiresAtMs: number;
  /** Whether the answer may contain a grant: the policy has `grants`. */
  readonly canGrant: boolean;
  /**
   * The line of the program that made the call, from 1. The program could have made it wrong. Undefined
   * if it is not known, as for direct calls and some calls in bash.
   */
  readonly line: number | undefined;
  /**
   * A grant for further calls like this, which the answer can contain as it is: set from the second
   * call on that the same line makes of the tool, if the answer may contain a grant.
   */
  readonly proposal: ApprovalGrant | undefined;
}

/** A request, as events tell of it. */
export interface AskedRequest extends Pick<ApprovalRequest, 'id' | 'expiresAtMs'> {
  /** Its place in a batch. @default it was asked alone */
  readonly batch?: PlaceInBatch;
}

export interface PlaceInBatch {
  /** The id of the batch. */
  readonly id: string;
  /** Which of the calls of the batch it is, from 1. */
  readonly number: number;
  /** How many calls the batch has. */
  readonly calls: number;
}
