import type {
  ApprovalBatch,
  AskBatchFunction,
  AskBatchOptions,
  BatchDecision,
  BatchedApproval,
} from './approval-batch.ts';

/** Decisions that no approver made. */
const madeForApprover = new WeakSet<BatchedApproval>();

/** Whether a decision about a call is one that `askPart` got, so that the approver did not see the call. */
export function isMadeForApprover(decision: BatchedApproval | undefined): boolean {
  return decision !== undefined && madeForApprover.has(decision);
}

/**
 * Asks about the calls of a batch that are not decided yet. The approver sees only these.
 * @param decided - What is decided about the others, by the ids of their requests.
 * @returns the decision about the whole batch.
 */
export async function askPart(
  batch: ApprovalBatch,
  options: AskBatchOptions,
  ask: AskBatchFunction,
  decided: Readonly<Record<string, BatchedApproval>>,
): Promise<BatchDecision> {
  const requests = batch.requests.filter(({ id }) => !Object.hasOwn(decided, id));
  for (const decision of Object.values(decided)) madeForApprover.add(decision);
  if (requests.length === 0) return { calls: decided };
  const whole = (decision: BatchDecision): BatchDecision => ({
    ...decision,
    calls: { ...decision.calls, ...decided },
  });
  const check = (decision: BatchDecision): void => options.check(whole(decision));
  return whole(await ask({ ...batch, requests }, { ...options, check }));
}

/** Whether a decision approves a call. */
export function isApproved({ calls = {}, others }: BatchDecision, requestId: string): boolean {
  const decision = Object.hasOwn(calls, requestId) ? calls[requestId] : others;
  return decision?.approved === true;
}
