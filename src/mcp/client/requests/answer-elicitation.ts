import { isRecord } from '../../../shared/guards.ts';
import { messageOf } from '../../../shared/errors.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import { warn } from '../../../shared/process-warning.ts';
import { showValue } from '../../../shared/show-value.ts';
import { resolveOutputSchema } from '../../../tools/schema/schema.ts';
import { fieldsOf } from '../tools/fields-of.ts';
import type { McpElicitationAnswer, McpElicitationHandler } from './elicitation.ts';
import { readElicitation } from './read-elicitation.ts';
import type { RunningCalls } from './running-calls.ts';

type Values = Record<string, string | number | boolean | string[]>;

/** An answer as the client sends it. */
export interface ElicitationResult {
  readonly [key: string]: unknown;
  readonly action: McpElicitationAnswer['action'];
  readonly content?: Values;
}

/** Has the handler of the host answer the requests of one server. */
export class ElicitationAnswers {
  readonly #server: string;
  readonly #handler: McpElicitationHandler;
  readonly #calls: RunningCalls;

  constructor(server: string, handler: McpElicitationHandler, calls: RunningCalls) {
    this.#server = server;
    this.#handler = handler;
    this.#calls = calls;
  }

  /** Never rejects. */
  async answer(params: unknown, withdrawn: AbortSignal): Promise<ElicitationResult> {
    const question = readElicitation(params);
    if (question === undefined) return { action: 'decline' };
    const schema = question.mode === 'form' ? question.schema : undefined;
    try {
      const answer = await this.#calls.answer(withdrawn, async (signal) =>
        this.#handler({ ...question, server: this.#server, signal }),
      );
      return answer === undefined ? { action: 'cancel' } : checked(answer, schema);
    } catch (error) {
      warn(
        `onElicitation of the MCP server ${this.#server} failed, so the request was declined: ${messageOf(error)}`,
        'PTC_MCP_ELICITATION',
      );
      return { action: 'decline' };
    }
  }
}

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/**
 * The answer to a request. Of the values of a form, those that its schema does not name are left out.
 * @throws Error if it is not an answer to the request. The message shows no values of it.
 */
function checked(answer: McpElicitationAnswer, schema: JsonObject | undefined): ElicitationResult {
  if (!isRecord(answer) || !ACTIONS.has(answer.action)) {
    throw new Error(
      `it must return an object with the action 'accept', 'decline' or 'cancel', not ${showValue(answer)}`,
    );
  }
  const { action } = answer;
  if (action !== 'accept' || schema === undefined) return { action };
  const names = Object.keys(schema['properties'] as object);
  const content = fieldsOf({ ...answer.content }, names);
  const checkedContent = resolveOutputSchema(schema, 'first call').validate(content);
  if (checkedContent.valid) return { action, content: content as Values };
  throw new Error(`its content does not match the schema: ${checkedContent.message}`);
}
