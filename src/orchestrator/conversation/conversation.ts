import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import { addUsage, NO_USAGE } from '../../models/token-usage.ts';
import { untilSettled } from '../../shared/async/background.ts';
import { PtcError, withDetails } from '../../shared/errors.ts';
import type { CodeTool } from '../code/code-tool.ts';
import { messagesAfterFailure, type BegunRun, type RunToBegin } from './begun-run.ts';
import { readMessages, type ConversationDocument } from './conversation-document.ts';
import type { GivenFile } from '../files/given-files.ts';
import type { InputFiles } from '../files/input-files.ts';
import type { ConversationStart } from './conversation-start.ts';
import { NO_STATE, stateOf } from '../code/program-state.ts';
import { conversationConflict, isConflict } from '../store/conflict.ts';
import type { ConversationHold, ConversationStore } from '../store/conversation-store.ts';
import { Journal } from '../store/journal.ts';
import { Transcript } from './transcript.ts';

export interface ConversationOptions {
  /** Runs the programs. The key of its session is also the key of the conversation in its store. */
  readonly codeTool: CodeTool;
  readonly store: ConversationStore | undefined;
  /** The initial state, unless the store already has the conversation. */
  readonly start: Pick<ConversationStart, 'messages' | 'usage'>;
  readonly files: InputFiles;
  /** What is kept of a run that throws. */
  readonly onFailure: 'keep' | 'discard';
}

const NO_MESSAGES: readonly ModelMessage[] = [];

/**
 * The messages and the usage of a conversation, in memory and in its store. One run at a time adds
 * to them.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  /** Writes the conversation to its store. */
  readonly journal: Journal | undefined;
  #messages: readonly ModelMessage[];
  #usage: TokenUsage;
  /** The messages as they were last read from or written to the store, or the initial ones. */
  #stored: readonly ModelMessage[];
  /** Whether they say that calls are still running. */
  #isRunning = false;
  #run: BegunRun | undefined;
  #isClearing = false;

  constructor(options: ConversationOptions) {
    const { codeTool, store, start } = options;
    this.#options = options;
    this.journal = store && new Journal(store, codeTool.sessionKey);
    this.#messages = start.messages;
    this.#stored = start.messages;
    this.#usage = start.usage;
  }

  /** The messages up to the last finished run. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  get usage(): TokenUsage {
    return this.#usage;
  }

  /** The document as if a current run ended now. */
  get document(): ConversationDocument {
    const { codeTool, files } = this.#options;
    const cutOff = this.#run?.transcript.cutOff(this.#run.soFar);
    return {
      version: 1,
      messages: cutOff ?? this.#messages,
      usage: this.#usage,
      session: { key: codeTool.sessionKey, ...codeTool.state },
      ...(files.list.length > 0 && { files: files.list }),
    };
  }

  /**
   * Replaces the messages with a copy of these.
   * @throws PtcError `CONVERSATION_INVALID`, or `CONVERSATION_BUSY` during a run or a reset.
   */
  replace(messages: readonly ModelMessage[]): void {
    const { codeTool } = this.#options;
    if (this.#run !== undefined || this.#isClearing) throw conversationBusy(codeTool.sessionKey);
    this.#messages = readMessages(messages);
    if (!codeTool.state.hasState) codeTool.state = stateOf(this.#messages);
  }

  /**
   * Reads what other processes wrote.
   * @throws PtcError `STORE_FAILED`, `CONVERSATION_INVALID`, or `CONVERSATION_CONFLICT` if the
   *   messages were also replaced here. The stored messages are used then. Or the signal's reason.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    const { journal } = this;
    if (journal === undefined) return;
    await journal.refresh(signal);
    this.#take(journal, false);
  }

  /**
   * As `refresh`, without a hold.
   * @returns Whether a run of another orchestrator is in progress.
   */
  async load(signal: AbortSignal): Promise<boolean> {
    const { journal } = this;
    if (journal === undefined) return false;
    await journal.refresh(signal);
    const isRunning = journal.stored.isRunOpen && (await journal.isHeld());
    // It may have ended after its entries were read.
    if (journal.stored.isRunOpen && !isRunning) await journal.refresh(signal);
    this.#take(journal, isRunning);
    return isRunning;
  }

  #take(journal: Journal, isRunning: boolean): void {
    // What is said of open calls also changes if their process is killed.
    if (!journal.takeChange() && isRunning === this.#isRunning) return;
    const { stored } = journal;
    const wasReplaced = this.#messages !== this.#stored;
    this.#isRunning = isRunning;
    this.#messages = stored.resumable(isRunning);
    this.#stored = this.#messages;
    this.#usage = stored.usage;
    this.#options.codeTool.state = stored.state;
    this.#options.files.replace(stored.files);
    if (wasReplaced) throw conversationConflict(this.#options.codeTool.sessionKey);
  }

  /**
   * Begins a run as soon as no other process has one.
   * @throws PtcError as `refresh`, or the signal's reason.
   */
  async begin({ runId, ends, soFar }: RunToBegin): Promise<BegunRun> {
    const hold = await this.journal?.hold(ends.signal);
    try {
      await this.refresh(ends.signal);
      await this.journal?.begin(runId, (error) => ends.stop(error));
    } catch (error) {
      await untilSettled(async () => hold?.release());
      throw error;
    }
    const before = this.#messages;
    const transcript = new Transcript(before);
    this.#run = { before, transcript, usage: NO_USAGE, hold, soFar, isStored: false };
    return this.#run;
  }

  /**
   * Adds the files of a run.
   * @throws PtcError `INPUT_INVALID` if they are too many, or `STORE_FAILED`.
   */
  async addFiles(given: readonly GivenFile[]): Promise<void> {
    await this.#options.files.add(given, this.journal?.stored.files ?? []);
  }

  /** The error of a run that could not begin, with the conversation as it is known here. */
  notBegun(failure: PtcError): PtcError {
    return withDetails(failure, { transcript: this.#messages, usage: NO_USAGE });
  }

  addUsage(run: BegunRun, more: TokenUsage): void {
    run.usage = addUsage(run.usage, more);
    this.#usage = addUsage(this.#usage, more);
  }

  /** Writes the run's current state. @throws PtcError `STORE_FAILED` or `CONVERSATION_CONFLICT`. */
  async save({ transcript }: BegunRun): Promise<void> {
    await this.#write(transcript.messages);
  }

  /** Keeps a run that finished. @throws PtcError as `save`. */
  async complete(run: BegunRun): Promise<void> {
    await this.#keep(run, run.transcript.messages);
  }

  /**
   * Keeps the part of a failed run that is to be kept.
   * @returns The error that the run throws.
   */
  async fail(run: BegunRun, failure: PtcError): Promise<PtcError> {
    // A call that may have been made must never be said not to have run.
    const whole = run.transcript.cutOff(run.soFar);
    const details = { transcript: whole, usage: run.usage };
    const messages = messagesAfterFailure(run, failure, this.#options.onFailure);
    // The request that gives its files is not in them.
    if (messages === run.before) this.#options.files.restore();
    try {
      await this.#keep(run, messages, failure);
      return withDetails(failure, details);
    } catch (storeFailure) {
      // The caller knows why the run stopped, but not that it could not be stored.
      if (!PtcError.isInstance(storeFailure) || storeFailure.code === failure.code) {
        return withDetails(failure, details);
      }
      const { code, message } = failure;
      return withDetails(storeFailure, { ...details, runError: { code, message } });
    }
  }

  /**
   * Releases the conversation for other processes. A failure becomes a warning, so that the result
   * of the run is not lost.
   * @param release - Releases what else the run holds.
   */
  async end(run: BegunRun, release: () => Promise<void> = async () => {}): Promise<void> {
    this.#run = undefined;
    await untilSettled(async () => this.#options.files.endRun(run.isStored));
    await untilSettled(release);
    await untilSettled(async () => run.hold?.release());
  }

  /**
   * Ends the session, then deletes all messages. If only the first succeeds, the messages remain
   * and the next program is told that its variables are gone. The messages are never deleted while
   * others could still see the variables.
   * @throws PtcError as `refresh`, `CodeTool.reset` and `save`, or the signal's reason.
   */
  async clear(runId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#isClearing = true;
    let hold: ConversationHold | undefined;
    try {
      hold = await this.journal?.hold(signal);
      await this.refresh(signal);
      await this.#forget(runId);
    } finally {
      this.#isClearing = false;
      await untilSettled(async () => hold?.release());
    }
  }

  async #forget(runId: string): Promise<void> {
    const { codeTool } = this.#options;
    const { state } = codeTool;
    await codeTool.reset();
    try {
      await this.journal?.begin(runId, () => {});
      const nothing = { messages: NO_MESSAGES, state: NO_STATE, files: [] };
      await this.journal?.write({ ...nothing, usage: this.#usage });
    } catch (error) {
      codeTool.state = state;
      throw error;
    }
    this.#messages = NO_MESSAGES;
    this.#stored = NO_MESSAGES;
    await this.#options.files.clear();
    await this.journal?.end();
  }

  async #keep(run: BegunRun, messages: readonly ModelMessage[], failure?: PtcError): Promise<void> {
    this.#messages = messages;
    try {
      await this.#write(messages);
      await this.journal?.end(failure?.code);
    } catch (error) {
      // The next run writes them. If another process wrote meanwhile, it continues from there
      // instead.
      if (isConflict(error)) this.#stored = messages;
      throw error;
    }
    this.#stored = messages;
    run.isStored = true;
  }

  async #write(messages: readonly ModelMessage[]): Promise<void> {
    const { codeTool, files } = this.#options;
    const { state } = codeTool;
    await this.journal?.write({ messages, usage: this.#usage, state, files: files.list });
  }
}

function conversationBusy(key: string): PtcError {
  return new PtcError(
    'CONVERSATION_BUSY',
    `The messages of conversation ${JSON.stringify(key)} cannot be set during a run or a reset of it, which would overwrite them. Set them after it has ended.`,
    { details: { key } },
  );
}
