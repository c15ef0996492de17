import type {
  AssistantBlock,
  ModelMessage,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../models/language-model.ts';
import type { RunInput } from './run-events.ts';
import { isBound } from './turns/own-blocks.ts';

/** What is said of an answer that its service did not complete. */
const ANSWER_CUT_OFF = '[This answer was cut off here.]';

/** What is said of a call of the model that was never looked at, since the run ended with the answer. */
const NOT_RUN: UseResult = {
  text: 'The run ended with this answer, so this call was not run.',
  isError: true,
};

/** What a call of the model came to. */
export type UseResult = Pick<ToolResultBlock, 'text' | 'isError'>;

/**
 * The messages of a conversation while a run adds to them. At any moment they can be sent: users and assistants alternate,
 * and each tool use has its result in the message after it.
 */
export class Transcript {
  readonly #history: readonly ModelMessage[];
  #messages: readonly ModelMessage[];
  /** Whether something was done in the run. */
  #hasResults = false;
  /** The text of the answer under way. */
  #partialText = '';

  constructor(history: readonly ModelMessage[]) {
    this.#history = history;
    this.#messages = history;
  }

  /** As they are now; later messages do not reach the list. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /**
   * The conversation without a refused answer, which came last, and without the request if nothing was done for
   * it: services go on refusing what follows either.
   */
  get withoutRefusal(): readonly ModelMessage[] {
    if (!this.#hasResults) return this.#history;
    const last = this.#messages.findLastIndex(({ role }) => role === 'user');
    return this.#messages.slice(0, last + 1);
  }

  /** Adds what the user says, to the results of a run that did not come to its answer if there are any. */
  addInput(input: RunInput): void {
    this.#addUserBlocks(typeof input === 'string' ? [{ type: 'text', text: input }] : input);
  }

  /** Puts a shorter conversation, which goes on where it does, in its place. */
  replace(messages: readonly ModelMessage[]): void {
    this.#messages = messages;
  }

  /** Keeps a piece of an answer, in case that the rest never comes. */
  addPartialText(text: string): void {
    this.#partialText += text;
  }

  /** Forgets the pieces of an answer that is void. */
  discardPartialText(): void {
    this.#partialText = '';
  }

  /**
   * Adds a whole answer, to the answer that its service paused if there is one. One that says nothing is not added: services
   * refuse that, or two requests after each other.
   * @param model - The id of the model that wrote it.
   */
  addAnswer(content: readonly AssistantBlock[], model?: string): void {
    this.#partialText = '';
    const saysNothing = content.every((block) => block.type === 'text' && block.text.trim() === '');
    if (saysNothing) return;
    const whole = [...this.#takePaused(model), ...content];
    const isBoundToModel = model !== undefined && whole.some(isBound);
    this.#add({ role: 'assistant', content: whole, ...(isBoundToModel && { model }) });
  }

  /** Takes a paused answer out, without what only another model could read. */
  #takePaused(model: string | undefined): readonly AssistantBlock[] {
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant') return [];
    this.#messages = this.#messages.slice(0, -1);
    return (last.model ?? model) === model
      ? last.content
      : last.content.filter((block) => !isBound(block));
  }

  addResults(results: readonly ToolResultBlock[]): void {
    this.#hasResults = true;
    this.#addUserBlocks(results);
  }

  /**
   * A copy of the conversation as if its run ended now: another run can go on from there.
   * @param resultOf - What is said of a call of the model that has no result.
   */
  cutOff(resultOf: (use: ToolUseBlock) => UseResult = () => NOT_RUN): readonly ModelMessage[] {
    const copy = new Transcript(this.#messages);
    const text = this.#partialText;
    if (text !== '') copy.addAnswer([{ type: 'text', text: `${text}\n${ANSWER_CUT_OFF}` }]);
    const last = copy.messages.at(-1);
    const results = (last?.content ?? []).flatMap((block): ToolResultBlock[] =>
      block.type === 'tool-use'
        ? [{ type: 'tool-result', toolUseId: block.id, ...resultOf(block) }]
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
