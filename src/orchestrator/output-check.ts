import { parseCallJson } from '../protocol/call-json.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type { Subject } from '../tools/schema/problems.ts';
import {
  resolveValueSchema,
  type ResolvedSchema,
  type SchemaSource,
} from '../tools/schema/schema.ts';
import type { Validation } from '../tools/tool.ts';

const ANSWER: Subject = {
  whole: 'the answer',
  property: 'property',
  schema: 'the schema of output',
};

const FENCE = '```';

/** The result of checking an answer. */
export type CheckedAnswer =
  /** `output` is the value that the schema returns for the answer. */
  | { readonly isRight: true; readonly output: unknown }
  /** `request` asks the model to answer again. */
  | { readonly isRight: false; readonly request: string };

/**
 * Checks a run's final answer against the caller's schema. Asks the model once to correct a wrong
 * answer.
 */
export class OutputCheck {
  readonly #schema: ResolvedSchema;
  #hasAsked = false;

  /** @throws PtcError `OPTION_INVALID` for a schema that cannot be used. */
  constructor(source: SchemaSource) {
    try {
      this.#schema = resolveValueSchema(source, ANSWER);
    } catch (cause) {
      if (PtcError.isInstance(cause) && cause.code !== 'TOOL_INVALID') throw cause;
      throw new PtcError('OPTION_INVALID', `output: ${messageOf(cause)}`, { cause });
    }
  }

  /** The instructions for the system prompt. */
  get prompt(): string {
    const schema = JSON.stringify(this.#schema.jsonSchema);
    return `Your final answer must be one JSON value that matches the JSON Schema below, and nothing else: no other words, no Markdown. Text beside tool calls may have any form.\n\n${schema}`;
  }

  /**
   * Checks a final answer.
   * @param mayAskAgain - Whether the run has a turn left.
   * @throws PtcError `OUTPUT_INVALID` if the answer does not match and the model cannot be asked
   *   again.
   */
  take(text: string, mayAskAgain: boolean): CheckedAnswer {
    const checked = this.#check(text);
    if (checked.valid) return { isRight: true, output: checked.value };
    // The message may quote half of a surrogate pair of the answer, which services refuse.
    const reason = checked.message.toWellFormed();
    if (this.#hasAsked || !mayAskAgain) throw this.#failure(text, reason);
    this.#hasAsked = true;
    const request = `Your answer cannot be used, because it does not match the JSON Schema that your final answer must match.\n${reason}\nAnswer again with the JSON value alone.`;
    return { isRight: false, request };
  }

  #failure(text: string, reason: string): PtcError {
    const remedy = this.#hasAsked
      ? 'The model was asked once more, and its last answer does not match either'
      : 'The model could not be asked again, because maxTurns leaves no turn for that';
    return new PtcError(
      'OUTPUT_INVALID',
      `The model's answer does not match the schema of output. ${remedy}: ${reason}`,
      { details: { text, reason } },
    );
  }

  #check(text: string): Validation {
    const read = readJson(text);
    return 'problem' in read
      ? { valid: false, message: `${ANSWER.whole}: ${read.problem}` }
      : this.#schema.validate(read.value);
  }
}

/** Reads an answer as a JSON value, or as a code block with one. */
function readJson(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  const whole = text.trim();
  if (whole === '') return { problem: 'it is empty' };
  const read = parse(whole);
  const block = 'problem' in read ? codeBlock(whole) : undefined;
  return block === undefined ? read : parse(block);
}

/** The text between the first and the last fence; undefined if there are not two fences. */
function codeBlock(text: string): string | undefined {
  const open = text.indexOf(FENCE);
  const start = text.indexOf('\n', open);
  const close = text.lastIndexOf(FENCE);
  return open === -1 || start === -1 || close < start ? undefined : text.slice(start, close);
}

/** Applies the limits of a tool call's arguments, because a service may send anything. */
function parse(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  const read = parseCallJson(text);
  return read.ok ? { value: read.value } : { problem: read.reason };
}
