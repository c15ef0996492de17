import type { ModelMessage, TokenUsage, ToolUseBlock } from '../../models/language-model.ts';
import type { PtcError } from '../../shared/errors.ts';
import { isInputRefused, type RunEnds } from '../run/run-ends.ts';
import type { ConversationHold } from '../store/conversation-store.ts';
import type { Transcript, UseResult } from './transcript.ts';

export interface RunToBegin {
  readonly runId: string;
  /** Ends the wait for the run of another process. A step that is not written ends the run. */
  readonly ends: RunEnds;
  /** What is known about a tool use that has no result yet; undefined if it never began. */
  readonly soFar: (use: ToolUseBlock) => UseResult | undefined;
}

/** A run in progress. */
export interface BegunRun {
  /** The messages of the conversation before it. */
  readonly before: readonly ModelMessage[];
  readonly transcript: Transcript;
  /** The usage that the model's service reported for the run. */
  usage: TokenUsage;
  readonly hold: ConversationHold | undefined;
  readonly soFar: RunToBegin['soFar'];
  /** Whether the store has all that is kept of it. */
  isStored: boolean;
}

/**
 * The messages of the conversation after a run that failed: those before it if nothing of the run is
 * kept.
 */
export function messagesAfterFailure(
  { before, transcript, soFar }: BegunRun,
  failure: PtcError,
  onFailure: 'keep' | 'discard',
): readonly ModelMessage[] {
  if (onFailure === 'discard') return before;
  return isInputRefused(failure) ? transcript.withoutRefusal : transcript.cutOff(soFar);
}
