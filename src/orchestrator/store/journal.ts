import { isDeepStrictEqual } from 'node:util';
import type { CallLog, LoggedCall } from '../../calls/call-log.ts';
import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import type { PtcError } from '../../shared/errors.ts';
import { inBackground } from '../../shared/async/background.ts';
import { startOf } from '../calls/start-of.ts';
import type {
  ConversationEntry,
  ConversationHold,
  ConversationStore,
  StoredEntry,
} from './conversation-store.ts';
import type { ProgramState } from '../code/program-state.ts';
import type { InputFile } from '../files/input-file.ts';
import { inParts } from './message-parts.ts';
import { readEntries } from './read-entries.ts';
import { storeFailed } from './store-failed.ts';
import { StoredConversation } from './stored-conversation.ts';

/** The state that is stored after each step of a run. */
export interface ConversationStep {
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
  readonly state: ProgramState;
  readonly files: readonly InputFile[];
}

interface Waiting {
  /** They are written together. */
  readonly entries: readonly ConversationEntry[];
  readonly written: Deferred<void>;
}

/** Writes a conversation to its store, and reads what other processes wrote there. */
export class Journal {
  readonly #store: ConversationStore;
  readonly #key: string;
  #stored: StoredConversation = new StoredConversation();
  /** How many of the stored entries are known here. */
  #position = 0;
  /** Whether others have changed it since `takeChange`. */
  #isChanged = false;
  /** The run of the last known entry. */
  #lastRunId: string | undefined;
  /** The last run that was written here. */
  #runId: string | undefined;
  #waiting: Waiting[] = [];
  #isWriting = false;
  /** The error of the first entry of the run that could not be written. */
  #failure: PtcError | undefined;
  #onFailure: (error: PtcError) => void = () => {};

  constructor(store: ConversationStore, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** The stored conversation as far as it is known here. */
  get stored(): StoredConversation {
    return this.#stored;
  }

  /**
   * Reads the entries that were written since the last read. If the conversation was removed
   * meanwhile, all its current entries are read. `takeChange` then says whether others changed it.
   * @param signal - Ends the read, if the store can do so.
   * @throws PtcError `STORE_FAILED` or `CONVERSATION_INVALID`, or the signal's reason.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    const entries = await this.#loadAfterKnown(signal);
    if (entries === undefined) {
      this.#isChanged = true;
      this.#stored = new StoredConversation();
      this.#position = 0;
    }
    const added = entries ?? (await this.#load(0, signal));
    this.#add(added);
    this.#isChanged ||= added.some((entry) => entry !== null && entry.runId !== this.#runId);
    await this.#stored.check();
  }

  /**
   * Whether others changed the conversation since this was last asked. So a change is not forgotten
   * if what follows the read of it fails: who does not know of it would write over it.
   */
  takeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /**
   * Returns undefined if the last known entry no longer exists, or if the store left it out. Its run
   * id identifies it, because run ids are unique.
   */
  async #loadAfterKnown(signal: AbortSignal): Promise<readonly StoredEntry[] | undefined> {
    if (this.#position === 0) return this.#load(0, signal);
    const [last, ...added] = await this.#load(this.#position - 1, signal);
    return last?.runId === this.#lastRunId ? added : undefined;
  }

  #add(entries: readonly StoredEntry[]): void {
    for (const entry of entries) if (entry !== null) this.#stored.add(entry);
    this.#position += entries.length;
    this.#lastRunId = entries.at(-1)?.runId ?? this.#lastRunId;
  }

  /** Whether a run holds the conversation, in this or another process; false if that is unknown. */
  async isHeld(): Promise<boolean> {
    try {
      return (await this.#store.isHeld?.({ key: this.#key })) ?? false;
    } catch (error) {
      throw storeFailed('tell whether a run has this conversation', error);
    }
  }

  /**
   * Keeps other runs, in this or another process, from the conversation. Call `refresh` afterwards
   * to read what they wrote.
   * @throws PtcError `STORE_FAILED`, or the signal's reason.
   */
  async hold(signal: AbortSignal): Promise<ConversationHold> {
    try {
      return (await this.#store.hold?.({ key: this.#key, signal })) ?? { release: async () => {} };
    } catch (error) {
      throw signal.aborted ? signal.reason : storeFailed('hold this conversation', error);
    }
  }

  /**
   * Begins a run.
   * @param onFailure - Called with the error of the first step that cannot be written. No later
   *   step is written then.
   * @throws PtcError `STORE_FAILED` or `CONVERSATION_CONFLICT`, as all functions that write.
   */
  async begin(runId: string, onFailure: (error: PtcError) => void): Promise<void> {
    this.#failure = undefined;
    this.#onFailure = onFailure;
    this.#runId = runId;
    await this.#append({ type: 'run-started', version: 1, runId, occurredAtMs: Date.now() });
  }

  /** Writes a step if anything has changed. */
  async write({ messages, usage, state, files }: ConversationStep): Promise<void> {
    const from = commonLength(this.#stored.messages, messages);
    const stays = from === messages.length && from === this.#stored.messages.length;
    const known = this.#stored.state;
    const hasSameState = state.hasState === known.hasState && state.stateId === known.stateId;
    const hasSameFiles = isDeepStrictEqual(files, this.#stored.files);
    if (stays && usage === this.#stored.usage && hasSameState && hasSameFiles) return;
    const runId = this.#ownRunId();
    const parts = await inParts(messages.slice(from));
    const last = parts.pop() ?? [];
    await this.#append(
      ...(hasSameFiles ? [] : [{ type: 'input-files', runId, files } as const]),
      ...parts.map((part) => ({ type: 'messages-part', runId, messages: part }) as const),
      { type: 'messages', runId, from, messages: last, usage, ...state },
    );
  }

  /** @param error - The code of the error that the run throws. */
  async end(error?: string): Promise<void> {
    const runId = this.#ownRunId();
    const ended = { type: 'run-ended', runId, occurredAtMs: Date.now() } as const;
    await this.#append(error === undefined ? ended : { ...ended, error });
  }

  /** Returns a log of the tool calls that belong to one call of the model. */
  callLog(toolUseId: string): CallLog {
    const append = async (
      type: 'tool-call-deferred' | 'tool-call-started',
      { callId, toolName, argumentsText }: LoggedCall,
    ): Promise<void> => {
      const call = { runId: this.#ownRunId(), toolUseId, callId, toolName };
      await this.#append({ type, ...call, arguments: startOf(argumentsText) });
    };
    return {
      deferred: async (call) => append('tool-call-deferred', call),
      started: async (call) => append('tool-call-started', call),
      ended: async ({ callId }, outcome) => {
        const call = { runId: this.#ownRunId(), toolUseId, callId };
        const { type, message } = outcome.ok ? { type: '', message: '' } : outcome.failure;
        await this.#append({
          type: 'tool-call-ended',
          ...call,
          ...(outcome.ok
            ? { result: startOf(outcome.result.text) }
            : { error: { type, message: startOf(message) } }),
        });
      },
    };
  }

  async #load(after: number, signal: AbortSignal): Promise<readonly StoredEntry[]> {
    let values: unknown;
    try {
      values = await this.#store.load({ key: this.#key, after, signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : storeFailed('read this conversation', error);
    }
    return readEntries(values, after);
  }

  /** Entries that arrive while the store writes are written together afterwards. */
  async #append(...entries: readonly ConversationEntry[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const written = createDeferred<void>();
    this.#waiting.push({ entries, written });
    if (!this.#isWriting) inBackground(this.#writeWaiting());
    await written.promise;
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const entries = batch.flatMap((one) => one.entries);
        await this.#store.append({ key: this.#key, entries, after: this.#position });
        this.#add(entries);
        for (const { written } of batch) written.resolve();
      } catch (error) {
        this.#fail(storeFailed('write this conversation down', error), batch);
      }
    }
    this.#isWriting = false;
  }

  /** Stops writing entries of the run: entries after a gap could have another meaning. */
  #fail(error: PtcError, batch: readonly Waiting[]): void {
    this.#failure = error;
    for (const { written } of [...batch, ...this.#waiting.splice(0)]) written.reject(error);
    this.#onFailure(error);
  }

  #ownRunId(): string {
    if (this.#runId === undefined) throw new Error('No run of this conversation has begun.');
    return this.#runId;
  }
}

/** How many messages are the same at the start of two lists. */
function commonLength(some: readonly ModelMessage[], others: readonly ModelMessage[]): number {
  const differs = some.findIndex((message, index) => message !== others[index]);
  return differs === -1 ? some.length : differs;
}
