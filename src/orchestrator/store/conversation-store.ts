import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import type { ToolFailure } from '../../protocol/messages.ts';
import type { ProgramState } from '../program-state.ts';

/**
 * Where conversations are written down, so that a process that is killed loses nothing. Each conversation is a list of
 * entries, JSON values that are only ever added.
 */
export interface ConversationStore {
  /**
   * Reads a conversation, in the order in which its entries were added; none if it is new. What the store gives is
   * checked.
   * @param after - How many entries the caller has already. They are left out.
   */
  load(key: string, after: number): Promise<readonly unknown[]>;
  /**
   * Adds entries, all or none, and returns when they survive this process.
   * @param after - How many entries the conversation has before. If it has others, another process has written to it,
   * and nothing is added.
   * @throws PtcError `CONVERSATION_CONFLICT` in that case. Whatever it throws ends the run.
   */
  append(key: string, entries: readonly ConversationEntry[], after: number): Promise<void>;
  /**
   * Waits until no other run has the conversation, here or in another process, and keeps others from it. A holder that
   * dies holds it no longer. Without it, of two runs at the same time one ends with `CONVERSATION_CONFLICT`.
   * @throws the signal's reason if it fires first.
   */
  hold?(key: string, signal: AbortSignal): Promise<ConversationHold>;
}

export interface ConversationHold {
  release(): Promise<void>;
}

/** What is written down of a conversation. A run is written down step by step, each step before the next one. */
export type ConversationEntry =
  | {
      readonly type: 'run-began';
      /** Of the format of the entries. */
      readonly version: 1;
      readonly runId: string;
      /** Milliseconds since the epoch. */
      readonly timeMs: number;
    }
  | ({
      /** These messages take the place of those from the index `from` on. */
      readonly type: 'messages';
      readonly runId: string;
      readonly from: number;
      readonly messages: readonly ModelMessage[];
      /** Of the whole conversation. */
      readonly usage: TokenUsage;
    } & ProgramState)
  | {
      /** A tool is about to run. */
      readonly type: 'call-began';
      readonly runId: string;
      /** The model's call that it belongs to. */
      readonly toolUseId: string;
      /** Unique among the calls of that one. */
      readonly callId: string;
      readonly toolName: string;
      /** As JSON text, at most its first 500 characters. */
      readonly arguments: string;
    }
  | {
      readonly type: 'call-ended';
      readonly runId: string;
      readonly toolUseId: string;
      readonly callId: string;
      /** As JSON text, at most its first 500 characters. Absent if the call failed. */
      readonly result?: string;
      /** Absent if the call did not fail. */
      readonly error?: ToolFailure;
    }
  | {
      readonly type: 'run-ended';
      readonly runId: string;
      readonly timeMs: number;
      /** The code of what the run threw. Absent if the model answered. */
      readonly error?: string;
    };
