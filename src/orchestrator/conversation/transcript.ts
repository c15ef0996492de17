import type {
  AssistantBlock,
  ModelMessage,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../../models/language-model.ts';
import type { ModelInput } from '../events/run-events.ts';
import { isModelSpecific } from '../turns/model-specific-blocks.ts';

/** Marks an answer that its service did not complete. */
const ANSWER_CUT_OFF = '[This answer was cut off here.]';

/**
 * The result of a call of the model that was never handled, because the run ended with the answer.
 */
const NOT_RUN: UseResult = {
  text: 'The run ended with this answer, so this call was not run.',
  isError: true,
};

/** The result of a call of the model. */
export type UseResult = Pick<ToolResultBlock, 'text' | 'isError' | 'images'>;

/**
 * The messages of a conversation while a run adds to them. They can be sent at any moment: user and
 * assistant messages alternate, and each tool use has its result in the next message.
 */
export class Transcript {
  readonly #history: readonly ModelMessage[];
  #messages: readonly ModelMessage[];
  /** Whether the run has results of tool uses. */
  #hasResults = false;
  /** The text of the incomplete answer. */
  #partialText = '';

  constructor(history: readonly ModelMessage[]) {
    this.#history = history;
    this.#messages = history;
  }

  /** The current messages. Later changes do not affect the returned list. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /**
   * The conversation without a refused answer, which came last. If the request led to no results,
   * it is left out too, because services refuse what follows either.
   */
  get withoutRefusal(): readonly ModelMessage[] {
    if (!this.#hasResults) return this.#history;
    const last = this.#messages.findLastIndex(({ role }) => role === 'user');
    return this.#messages.slice(0, last + 1);
  }

  /**
   * Adds the user's input. If the last run did not reach its answer, the input is added to its
   * results.
   */
  addInput(input: ModelInput): void {
    this.#addUserBlocks(typeof input === 'string' ? [{ type: 'text', text: input }] : input);
  }

  /** Replaces the messages with a shorter list that ends in the same way. */
  replace(messages: readonly ModelMessage[]): void {
    this.#messages = messages;
  }

  /** Keeps a part of an answer, in case the rest never arrives. */
  addPartialText(text: string): void {
    this.#partialText += text;
  }

  /** Discards the parts of an answer that will be requested again. */
  discardPartialText(): void {
    this.#partialText = '';
  }

  /**
   * Adds a complete answer, or appends it to an answer that its service paused. An empty answer is
   * not added: services refuse it, and also two requests in a row.
   * @param model - The id of the model that wrote it.
   */
  addAnswer(content: readonly AssistantBlock[], model?: string): void {
    this.#partialText = '';
    const saysNothing = content.every((block) => block.type === 'text' && block.text.trim() === '');
    if (saysNothing) return;
    const whole = [...this.#takePaused(model), ...content];
    const isModelSpecificAnswer = model !== undefined && whole.some(isModelSpecific);
    this.#add({ role: 'assistant', content: whole, ...(isModelSpecificAnswer && { model }) });
  }

  /**
   * Removes a paused answer from the messages and returns it, without blocks that only another
   * model can read.
   */
  #takePaused(model: string | undefined): readonly AssistantBlock[] {
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant') return [];
    this.#messages = this.#messages.slice(0, -1);
    return (last.model ?? model) === model
      ? last.content
      : last.content.filter((block) => !isModelSpecific(block));
  }

  addResults(results: readonly ToolResultBlock[]): void {
    this.#hasResults = true;
    this.#addUserBlocks(results);
  }

  /**
   * Returns a copy of the conversation as if its run ended now, so that another run can continue
   * it.
   * @param resultOf - The result of a call of the model that has none yet; undefined if it never
   *   began.
   */
  cutOff(resultOf: (use: ToolUseBlock) => UseResult | undefined): readonly ModelMessage[] {
    const copy = new Transcript(this.#messages);
    const text = this.#partialText;
    if (text !== '') copy.addAnswer([{ type: 'text', text: `${text}\n${ANSWER_CUT_OFF}` }]);
    const last = copy.messages.at(-1);
    const results = (last?.content ?? []).flatMap((block): ToolResultBlock[] =>
      block.type === 'tool-use'
        ? [{ type: 'tool-result', toolUseId: block.id, ...(resultOf(block) ?? NOT_RUN) }]
        : [],
    );
    if (results.length > 0) copy.addResults(results);
    return copy.messages;
  }

  #addUserBlocks(content: readonly UserBlock[]): void {
    const last = this.#messages.at(-1);
    if (last?.role !== 'user') return this.#add({ role: 'user', content });
    const merged: ModelMessage = { role: 'user', content: [...last.content, ...content] };
    this.#messages = [...this.#messages.slice(0, -1), merged];
  }

  #add(message: ModelMessage): void {
    this.#messages = [...this.#messages, message];
  }
}
