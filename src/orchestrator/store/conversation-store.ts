import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import type { ToolFailure } from '../../protocol/messages.ts';
import type { ProgramState } from '../code/program-state.ts';
import type { InputFile } from '../files/input-file.ts';

/**
 * Stores conversations, so that nothing is lost if a process is killed. Each conversation is a list
 * of entries, which are JSON values. Entries are only ever added.
 */
export interface ConversationStore {
  /**
   * Reads the entries of a conversation in the order in which they were added; an empty list if it
   * is new. The caller validates them. An entry about a call may be `null` if an entry `messages`
   * follows it, which says all that is known of the call. So a store need not keep it, but it still
   * counts as an entry.
   */
  load(options: StoreLoadOptions): Promise<readonly StoredEntry[]>;
  /**
   * Adds all entries or none, and returns when they are durable. It gets no signal, because a run
   * that was aborted still stores how it ended.
   * @throws PtcError `CONVERSATION_CONFLICT` if the conversation has more or fewer than `after`
   *   entries: another process has written to it, and nothing is added. Any error ends the run.
   */
  append(options: StoreAppendOptions): Promise<void>;
  /**
   * Waits until no other run holds the conversation, in this or another process, then holds it. The
   * hold of a process that ends is released. With this function, only the run that holds the
   * conversation appends to it. Without it, one of two simultaneous runs ends with
   * `CONVERSATION_CONFLICT`.
   * @throws the reason of `signal` if it fires first.
   */
  hold?(options: StoreHoldOptions): Promise<ConversationHold>;
  /**
   * Whether a run holds the conversation, in this or another process. Without this function,
   * `load()` of an orchestrator takes every run that has not ended for one whose process was killed.
   */
  isHeld?(options: { readonly key: string }): Promise<boolean>;
  /**
   * Keeps the bytes of a file that was given to a run, and returns when they are durable. Without
   * this function and `loadFile`, files last as long as the process.
   */
  saveFile?(options: StoreSaveFileOptions): Promise<void>;
  /** The bytes of a file; undefined if there is no such file. The caller compares them with the digest. */
  loadFile?(options: StoreLoadFileOptions): Promise<Uint8Array | undefined>;
  /** Deletes the files of a conversation, except those with the digests `kept`. */
  keepFiles?(options: StoreKeepFilesOptions): Promise<void>;
}

/** Names a file of a conversation. */
interface StoreFileOptions {
  /** The key of the conversation. */
  readonly key: string;
  /** The SHA-256 digest of its bytes: 64 hexadecimal digits. */
  readonly sha256: string;
}

export interface StoreSaveFileOptions extends StoreFileOptions {
  readonly data: Uint8Array;
}

export interface StoreLoadFileOptions extends StoreFileOptions {
  /** Fires when the bytes are no longer needed. */
  readonly signal: AbortSignal;
}

export interface StoreKeepFilesOptions {
  /** The key of the conversation. */
  readonly key: string;
  readonly kept: readonly string[];
}

export interface StoreLoadOptions {
  /** The key of the conversation. */
  readonly key: string;
  /** How many entries the caller already has. They are left out. */
  readonly after: number;
  /** Fires when the entries are no longer needed. */
  readonly signal: AbortSignal;
}

export interface StoreAppendOptions {
  /** The key of the conversation. */
  readonly key: string;
  readonly entries: readonly ConversationEntry[];
  /** How many entries the conversation has before. */
  readonly after: number;
}

export interface StoreHoldOptions {
  /** The key of the conversation. */
  readonly key: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

export interface ConversationHold {
  release(): Promise<void>;
}

/** An entry as a store returns it: `null` if the store has dropped an entry about a call. */
export type StoredEntry = ConversationEntry | null;

/** An entry of a conversation. Each step of a run is stored before the next one. */
export type ConversationEntry =
  | {
      readonly type: 'run-started';
      /** The version of the format of entries. */
      readonly version: 1;
      readonly runId: string;
      /** Milliseconds since the epoch. */
      readonly occurredAtMs: number;
    }
  | {
      /**
       * The first of many messages. Those of the entries after it follow, up to the next entry of
       * the type `messages`, which says what they replace.
       */
      readonly type: 'messages-part';
      readonly runId: string;
      readonly messages: readonly ModelMessage[];
    }
  | {
      /** All files of the conversation from now on. */
      readonly type: 'input-files';
      readonly runId: string;
      readonly files: readonly InputFile[];
    }
  | ({
      /** These messages, after those of the parts before, replace those from the index `from` on. */
      readonly type: 'messages';
      readonly runId: string;
      readonly from: number;
      readonly messages: readonly ModelMessage[];
      /** The usage of the whole conversation. */
      readonly usage: TokenUsage;
    } & ProgramState)
  | {
      /**
       * A program got a receipt for a call (`whenAsked: 'defer'`). If its tool is about to run later,
       * `tool-call-started` follows with the same ids: without it, the call was not made.
       */
      readonly type: 'tool-call-deferred';
      readonly runId: string;
      readonly toolUseId: string;
      readonly callId: string;
      readonly toolName: string;
      /** JSON text, at most its first 500 characters. */
      readonly arguments: string;
    }
  | {
      /** A tool is about to run. */
      readonly type: 'tool-call-started';
      readonly runId: string;
      /** The id of the model's call that it belongs to. */
      readonly toolUseId: string;
      /** Unique among the calls with this `toolUseId`. */
      readonly callId: string;
      readonly toolName: string;
      /** JSON text, at most its first 500 characters. */
      readonly arguments: string;
    }
  | {
      readonly type: 'tool-call-ended';
      readonly runId: string;
      readonly toolUseId: string;
      readonly callId: string;
      /** JSON text, at most its first 500 characters. Absent if the call failed. */
      readonly result?: string;
      /** Absent if the call succeeded. */
      readonly error?: ToolFailure;
    }
  | {
      readonly type: 'run-ended';
      readonly runId: string;
      readonly occurredAtMs: number;
      /** The code of the error that the run threw. Absent if the model answered. */
      readonly error?: string;
    };
