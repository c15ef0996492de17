import type { OptionsObject } from '../../../shared/options/option-names.ts';
import type { ApprovalRequest } from '../approval-request.ts';
import { GRANT_OPTIONS, type ApprovalGrant } from '../grants/grant.ts';

/** The program whose calls wait. */
export interface AskingProgram {
  /** Such as `python`. */
  readonly language: string;
  readonly code: string;
  /** What the model wrote before the program; undefined if it wrote nothing or nobody passed it on. */
  readonly purpose: string | undefined;
}

/** One of the calls of a batch. */
export interface BatchedRequest extends Omit<ApprovalRequest, 'proposal'> {
  /** Its place in the batch, from 1. */
  readonly number: number;
}

/**
 * Calls of one program that wait at the same time, and that an approver decides together. Times are
 * milliseconds since the epoch.
 */
export interface ApprovalBatch {
  /** Cannot be guessed, and is never used again. */
  readonly id: string;
  readonly program: AskingProgram;
  /** In the order in which the program made the calls: at least one, and at most 1,000. */
  readonly requests: readonly BatchedRequest[];
  readonly requestedAtMs: number;
  /** When the batch expires, which rejects its calls. */
  readonly expiresAtMs: number;
  /** Whether the decision may contain a grant: the policy has `grants`. */
  readonly canGrant: boolean;
  /** Grants for further calls like these. A decision can contain one of them as it is. */
  readonly proposals: readonly BatchGrant[];
}

/** Approves further calls of one tool in advance. */
export interface BatchGrant extends ApprovalGrant {
  /** The tool, whose calls the same decision approves. */
  readonly toolName: string;
}

/** The decision about one call of a batch. */
export type BatchedApproval =
  | {
      readonly approved: true;
      /** Arguments to use instead, as `Approval.arguments`. @default the original arguments */
      readonly arguments?: unknown;
    }
  | {
      readonly approved: false;
      /** Why the call was rejected. The model reads it. */
      readonly reason: string;
    };

/** Decides the calls of a batch, each on its own. */
export interface BatchDecision {
  /**
   * The decisions about single calls, by the `id` of their requests.
   * @default no call is decided on its own
   */
  readonly calls?: Readonly<Record<string, BatchedApproval>>;
  /**
   * The decision about all other calls of the batch.
   * @default none: `calls` must name each call
   */
  readonly others?:
    | { readonly approved: true }
    | { readonly approved: false; readonly reason: string };
  /**
   * Approves further calls in advance. An approved call that it covers must still wait.
   * @default they ask too
   */
  readonly grant?: BatchGrant;
}

/** What a function that decides batches gets besides the batch. */
export interface AskBatchOptions {
  /** Fires when the decision is no longer needed. */
  readonly signal: AbortSignal;
  /**
   * Checks a decision before it is returned, for whoever can still correct it: otherwise edited
   * arguments that do not fit reject their call, a grant is not given if the program has given up the
   * approved calls that it covers, and what else is wrong rejects the whole batch.
   * @throws PtcError `OPTION_INVALID` with what is wrong.
   */
  readonly check: (decision: BatchDecision) => void;
}

/** Decides the calls of a batch. */
export type AskBatchFunction = (
  batch: ApprovalBatch,
  options: AskBatchOptions,
) => Promise<BatchDecision>;

const PAGE = 'docs/policy.md';

/** It may have more than the decision, such as who made it. */
export const BATCH_DECISION: OptionsObject<BatchDecision> = {
  of: 'The decision about a batch',
  names: { calls: 'plain', others: 'plain', grant: 'plain' },
  page: PAGE,
  isOpen: true,
};

export const BATCH_GRANT_OPTIONS: OptionsObject<BatchGrant> = {
  ...GRANT_OPTIONS,
  names: { ...GRANT_OPTIONS.names, toolName: 'text' },
  required: ['calls', 'toolName'],
};

/** What else is decided with a batch. */
export interface DecideBatchOptions {
  /** Approves further calls of one tool in advance. @default they ask too */
  readonly grant?: BatchGrant;
}

export const DECIDE_BATCH_OPTIONS: OptionsObject<DecideBatchOptions> = {
  of: 'decideBatch',
  names: { grant: 'plain' },
  page: PAGE,
};
