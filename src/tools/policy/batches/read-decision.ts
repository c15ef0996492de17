import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { ApprovalEnd } from '../approval.ts';
import { readGrant } from '../grants/grant.ts';
import {
  BATCH_DECISION,
  BATCH_GRANT_OPTIONS,
  type ApprovalBatch,
  type BatchDecision,
  type BatchedRequest,
  type BatchGrant,
} from './approval-batch.ts';
import { isMadeForApprover } from './ask-part.ts';

/** What was decided about one call. */
type DecidedEnd =
  | Extract<ApprovalEnd, { readonly decision: 'approved' }>
  | { readonly decision: 'rejected'; readonly reason: string };

type DecidedEnds = Map<string, DecidedEnd>;

const PAGE = 'docs/policy.md';

/** What is known of the calls of a batch, by the ids of their requests. */
export interface KnownCalls {
  /** The arguments of a call: what its request has can have been changed in place. */
  readonly sentOf: (requestId: string) => unknown;
  /** Whether the program still waits for a call. */
  readonly isOpen: (requestId: string) => boolean;
}

/** A decision about each call of a batch. */
export interface ReadDecision {
  /**
   * By the ids of the requests. A grant comes with a call that it covers and that still waits. This call is
   * the first one, so that the program cannot give it up while others are answered.
   */
  readonly ends: ReadonlyMap<string, DecidedEnd>;
  /** Whether the program has given up all approved calls that the grant covers, so that none has it. */
  readonly isGrantLost: boolean;
}

/**
 * Reads the decision about a batch.
 * @throws PtcError `OPTION_INVALID` for what is not a decision about each call of this batch, or for
 *   a grant that is not valid for it.
 */
export function readDecision(
  decision: unknown,
  batch: ApprovalBatch,
  known: KnownCalls,
): ReadDecision {
  checkOptionNames(decision, BATCH_DECISION);
  const { calls = {}, others, grant } = decision as BatchDecision;
  const requests = new Map(batch.requests.map((request) => [request.id, request]));
  const foreign = Object.keys(calls).find((id) => !requests.has(id));
  if (foreign !== undefined) {
    const advice = `The calls of this batch have other ids.`;
    throw invalidOption('calls', foreign, 'the ids of requests of this batch', advice);
  }
  const otherEnd = others && endOf(others, 'others');
  const ends: DecidedEnds = new Map();
  for (const [id, request] of requests) {
    const own = Object.hasOwn(calls, id) ? calls[id] : undefined;
    const end = own === undefined ? otherEnd : endOf(own, `calls.${id}`, request);
    if (end !== undefined) ends.set(id, withArguments(end, known.sentOf(id)));
  }
  const left = requests.size - ends.size;
  if (left > 0) {
    const advice = `calls decides ${ends.size} of the ${requests.size} calls of the batch.`;
    throw invalidOption('others', others, `given, because ${left} calls are not in calls`, advice);
  }
  if (grant === undefined) return { ends, isGrantLost: false };
  // The approver cannot know what its grant means for calls that it does not see.
  const seen = batch.requests.filter(({ id }) => !isMadeForApprover(calls[id]));
  return giveGrant(grant, { ...batch, requests: seen }, ends, known);
}

/** As it was decided, without the arguments of the call. */
type ReadEnd =
  | { readonly approved: true; readonly own?: unknown }
  | { readonly approved: false; readonly reason: string };

/** @param request - The call, if it is decided on its own, and can be edited. */
function endOf(given: unknown, option: string, request?: BatchedRequest): ReadEnd {
  const approved = isRecord(given) ? given['approved'] : undefined;
  if (approved === true) {
    checkOptionNames(given, request === undefined ? approvalOf(option) : editOf(option));
    const { arguments: own } = given as { readonly arguments?: unknown };
    return { approved, ...(own !== undefined && { own }) };
  }
  if (approved !== false) {
    const expected = 'either { approved: true } or { approved: false, reason }';
    throw invalidOption(option, given, expected);
  }
  checkOptionNames(given, rejectionOf(option));
  return { approved, reason: (given as { readonly reason: string }).reason };
}

const approvalOf = (option: string): OptionsObject<{ readonly approved: true }> => ({
  of: option,
  names: { approved: true },
  page: PAGE,
});

const editOf = (
  option: string,
): OptionsObject<{ readonly approved: true; readonly arguments?: unknown }> => ({
  of: option,
  names: { approved: true, arguments: true },
  page: PAGE,
  otherWords: { args: 'arguments' },
});

const rejectionOf = (
  option: string,
): OptionsObject<{ readonly approved: false; readonly reason: string }> => ({
  of: option,
  names: { approved: true, reason: 'text' },
  page: PAGE,
  otherWords: { message: 'reason' },
  required: ['reason'],
});

function withArguments(end: ReadEnd, sent: unknown): DecidedEnd {
  if (!end.approved) return { decision: 'rejected', reason: end.reason };
  const edited = 'own' in end;
  const approved = edited ? end.own : sent;
  return { decision: 'approved', arguments: approved, edited, grant: undefined };
}

/** Gives the grant with the first approved call that it covers and that still waits. */
function giveGrant(
  given: BatchGrant,
  batch: ApprovalBatch,
  ends: DecidedEnds,
  { sentOf, isOpen }: KnownCalls,
): ReadDecision {
  if (!batch.canGrant) {
    const advice = 'The policy has no `grants`, which keeps them.';
    throw invalidOption('grant', given, 'left out', advice);
  }
  checkOptionNames(given, BATCH_GRANT_OPTIONS);
  const { toolName, ...terms } = given;
  const ofTool = batch.requests.filter((request) => request.toolName === toolName);
  const [first] = ofTool;
  if (first === undefined) {
    throw invalidOption('grant.toolName', toolName, 'a tool whose calls are in this batch');
  }
  const grant = readGrant(terms, first.caller);
  const approved = ofTool.flatMap((request) => {
    const end = ends.get(request.id);
    return end?.decision === 'approved' ? [{ request, end, gap: grant.gapFor(end.arguments) }] : [];
  });
  const [firstApproved] = approved;
  if (firstApproved === undefined) {
    const expected = 'a tool of which this decision approves a call';
    throw invalidOption('grant.toolName', toolName, expected);
  }
  const contradicted = ofTool.find(
    ({ id }) => ends.get(id)?.decision === 'rejected' && grant.gapFor(sentOf(id)) === undefined,
  );
  if (contradicted !== undefined) {
    const advice = `It covers the call ${contradicted.number}, which this decision rejects: name fields that only the approved calls have.`;
    throw invalidOption('grant', given, 'one that covers no call which is rejected', advice);
  }
  const covered = approved.filter(({ gap }) => gap === undefined);
  const { gap } = firstApproved;
  if (covered.length === 0 && gap !== undefined) {
    throw invalidOption(gap.option, gap.value, gap.expected);
  }
  const carrier = covered.find(({ request }) => isOpen(request.id));
  if (carrier === undefined) return { ends, isGrantLost: true };
  const { request, end } = carrier;
  ends.delete(request.id);
  return { ends: new Map([[request.id, { ...end, grant }], ...ends]), isGrantLost: false };
}
