import type { ModelMessage, TokenUsage, ToolUseBlock } from '../../models/language-model.ts';
import { NO_USAGE } from '../../models/token-usage.ts';
import { given } from '../../shared/given.ts';
import {
  CallRecord,
  laterCallsText,
  runningCallText,
  stoppedLaterText,
  unansweredCallText,
} from '../call-record.ts';
import { EXECUTE_CODE } from '../code/code-tool-definition.ts';
import { checkManyMessages, invalidConversation } from '../conversation/conversation-document.ts';
import { NO_STATE, type ProgramState } from '../code/program-state.ts';
import { Transcript, type UseResult } from '../conversation/transcript.ts';
import { filesProblem, type InputFile } from '../files/input-file.ts';
import { expectsProgram } from '../long-programs/running-program.ts';
import type { ConversationEntry } from './conversation-store.ts';

const ENDED = 'The process that ran this ended before it was done.';

/** A conversation, rebuilt from its entries. */
export class StoredConversation {
  #messages: ModelMessage[] = [];
  /** The messages of parts whose entry `messages` has not come yet. */
  #parts: ModelMessage[] = [];
  /** Whether others have the list of messages, so that it must not change. */
  #isShared = false;
  #usage: TokenUsage = NO_USAGE;
  #state: ProgramState = NO_STATE;
  #isRunOpen = false;
  #files: readonly InputFile[] = [];
  /**
   * The tool calls after the last messages, by the id of the model's call that they belong to. If
   * its program went on after its answer, the call has a result, or is no longer in the messages.
   */
  readonly #calls: Map<string, CallRecord> = new Map();

  /** The messages as stored. The last one may have calls without results. */
  get messages(): readonly ModelMessage[] {
    this.#isShared = true;
    return this.#messages;
  }

  get usage(): TokenUsage {
    return this.#usage;
  }

  /**
   * What is known about the variables of its programs. If a program was still running, the model
   * expects its variables too.
   */
  get state(): ProgramState {
    const isOpen = this.#openUses.some(({ name }) => name === EXECUTE_CODE);
    return isOpen ? { ...this.#state, hasState: true } : this.#state;
  }

  /** The files that were given to its runs. */
  get files(): readonly InputFile[] {
    return this.#files;
  }

  /** Whether its last run began but did not end: it is in progress, or its process is gone. */
  get isRunOpen(): boolean {
    return this.#isRunOpen;
  }

  /**
   * The messages with which a run continues. They say what is known about calls that were in
   * progress.
   * @param isRunning - Whether they still are.
   */
  resumable(isRunning: boolean): readonly ModelMessage[] {
    const transcript = new Transcript(this.messages);
    transcript.replace(transcript.cutOff((use) => this.#openResult(use, isRunning)));
    const calls = this.#callsAfterAnswers;
    if (isRunning) {
      if (calls !== '') transcript.addInput(laterCallsText(calls));
    } else if (calls !== '' || (this.#isRunOpen && expectsProgram(transcript.messages))) {
      transcript.addInput(stoppedLaterText(calls));
    }
    return transcript.messages;
  }

  /** Adds the next entry. */
  add(entry: ConversationEntry): void {
    if (entry.type === 'messages-part') {
      for (const message of entry.messages) this.#parts.push(message);
      return;
    }
    const parts = this.#parts;
    // Its process was killed before it had written them all, unless these are the last ones.
    if (parts.length > 0) this.#parts = [];
    if (entry.type === 'run-started' || entry.type === 'run-ended') {
      this.#isRunOpen = entry.type === 'run-started';
    } else if (entry.type === 'input-files') this.#files = entry.files;
    else if (entry.type === 'messages') this.#replace(entry, parts);
    else if (entry.type === 'tool-call-deferred') {
      this.#recordOf(entry).deferred(entry, entry.arguments);
    } else if (entry.type === 'tool-call-started') {
      this.#recordOf(entry).started(entry, entry.arguments);
    } else if (entry.type === 'tool-call-ended') this.#calls.get(entry.toolUseId)?.ended(entry);
  }

  #recordOf({ toolUseId }: { readonly toolUseId: string }): CallRecord {
    const record = this.#calls.get(toolUseId) ?? new CallRecord();
    this.#calls.set(toolUseId, record);
    return record;
  }

  /** @throws PtcError `CONVERSATION_INVALID` if a run could not continue from here. */
  async check(): Promise<void> {
    const problem = filesProblem(this.#files);
    if (problem !== undefined) throw invalidConversation(`its files: ${problem}`);
    await checkManyMessages(this.resumable(false));
  }

  #replace(
    { from, messages, usage, hasState, stateId }: EntryOf<'messages'>,
    parts: readonly ModelMessage[],
  ): void {
    if (from > this.#messages.length) {
      throw invalidConversation(
        `an entry replaces its messages from index ${from} on, but it has only ${this.#messages.length}`,
      );
    }
    // A copy for each entry would take time that grows with the square of their number.
    if (this.#isShared) this.#messages = this.#messages.slice(0, from);
    else this.#messages.length = from;
    this.#isShared = false;
    for (const message of parts) this.#messages.push(message);
    for (const message of messages) this.#messages.push(message);
    this.#usage = usage;
    this.#state = { hasState, ...given({ stateId }) };
    this.#calls.clear();
  }

  get #openUses(): readonly ToolUseBlock[] {
    const last = this.#messages.at(-1);
    return (last?.content ?? []).flatMap((block) => (block.type === 'tool-use' ? [block] : []));
  }

  /** What is known of calls whose program went on after the model had an answer; empty if nothing is. */
  get #callsAfterAnswers(): string {
    // The answer may have been replaced by a summary.
    const open = new Set(this.#openUses.map(({ id }) => id));
    const later = [...this.#calls].filter(([id, { isEmpty }]) => !isEmpty && !open.has(id));
    return later.map(([, { text }]) => text).join('\n');
  }

  #openResult(use: ToolUseBlock, isRunning: boolean): UseResult {
    const record = this.#calls.get(use.id) ?? new CallRecord();
    if (isRunning) return { text: runningCallText(record), isError: false };
    return { text: unansweredCallText(use, ENDED, record), isError: true };
  }
}

type EntryOf<Type extends ConversationEntry['type']> = Extract<
  ConversationEntry,
  { readonly type: Type }
>;
