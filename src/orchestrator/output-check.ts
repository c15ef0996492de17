import { DEFAULT_CALL_LIMITS } from '../protocol/frames.ts';
import { shapeOfFrame } from '../protocol/frame-shape.ts';
import { toBareJson } from '../shared/bare-json.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import type { Subject } from '../tools/problems.ts';
import { resolveValueSchema, type ResolvedSchema, type SchemaSource } from '../tools/schema.ts';
import type { Validation } from '../tools/tool.ts';

const ANSWER: Subject = {
  whole: 'the answer',
  property: 'property',
  schema: 'the schema of output',
};

const FENCE = '```';

/** How an answer is taken. */
export type Verdict =
  /** `output` is what the schema makes of it. */
  | { readonly isRight: true; readonly output: unknown }
  /** What to ask the model then. */
  | { readonly isRight: false; readonly request: string };

/** Checks a run's final answer by the schema that its caller gave, and has the model correct a wrong one once. */
export class OutputCheck {
  readonly #schema: ResolvedSchema;
  #hasAsked = false;

  /** @throws PtcError `OPTION_INVALID` for a schema that cannot be used. */
  constructor(source: SchemaSource) {
    try {
      this.#schema = resolveValueSchema(source, ANSWER);
    } catch (cause) {
      if (!PtcError.isInstance(cause) || cause.code !== 'TOOL_INVALID') throw cause;
      throw new PtcError('OPTION_INVALID', `output: ${cause.message}`, { cause });
    }
  }

  /** What the system prompt says of it. */
  get prompt(): string {
    const schema = JSON.stringify(this.#schema.jsonSchema);
    return `Your final answer must be one JSON value that matches the JSON Schema below, and nothing else: no other words, no Markdown. What you write beside tool calls is free.\n\n${schema}`;
  }

  /**
   * Takes a final answer.
   * @param mayAskAgain - Whether the run has a turn left.
   * @throws PtcError `OUTPUT_INVALID` for one that does not match if the model cannot be asked again.
   */
  take(text: string, mayAskAgain: boolean): Verdict {
    const checked = this.#check(text);
    if (checked.valid) return { isRight: true, output: checked.value };
    // It may quote half of a character of the answer, which services do not take.
    const reason = checked.message.toWellFormed();
    if (this.#hasAsked || !mayAskAgain) throw this.#failure(text, reason);
    this.#hasAsked = true;
    const request = `Your answer cannot be used, because it does not match the JSON Schema that your final answer must match.\n${reason}\nAnswer again with the JSON value alone.`;
    return { isRight: false, request };
  }

  #failure(text: string, reason: string): PtcError {
    const remedy = this.#hasAsked
      ? 'It was asked once more, and its last answer does not match either'
      : 'It could not be asked again, because maxIterations leaves no turn for that';
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

/**
 * The result of a run that was to give a value and ended before the model answered. Its `output` throws when it is read,
 * since its type promises a value. It cannot be enumerated, so that the result can be copied and written as JSON.
 */
export function withoutOutput<Result extends { readonly output: unknown }>(result: Result): Result {
  return Object.defineProperty(result, 'output', {
    enumerable: false,
    get(): never {
      throw new PtcError(
        'OUTPUT_MISSING',
        'stopWhen ended the run before the model answered, so that there is no output. Read output only if endedBy is "answer".',
      );
    },
  });
}

/** The JSON value that an answer is, or that its code block is. */
function readJson(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  const whole = text.trim();
  if (whole === '') return { problem: 'it is empty' };
  const read = parse(whole);
  const block = 'problem' in read ? codeBlock(whole) : undefined;
  return block === undefined ? read : parse(block);
}

/** What stands between the first and the last fence; undefined if there are not two fences. */
function codeBlock(text: string): string | undefined {
  const open = text.indexOf(FENCE);
  const start = text.indexOf('\n', open);
  const close = text.lastIndexOf(FENCE);
  return open === -1 || start === -1 || close < start ? undefined : text.slice(start, close);
}

/** Within the bounds of a tool call's arguments: a service may send anything. */
function parse(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  const { bytes, values } = DEFAULT_CALL_LIMITS;
  if (text.length > bytes) return { problem: `it is longer than ${bytes} characters` };
  const { excess, inexactNumber } = shapeOfFrame(text, values);
  if (excess !== undefined) return { problem: `it ${excess}` };
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(text) as JsonValue;
  } catch (error) {
    return { problem: `it is not JSON: ${messageOf(error)}` };
  }
  if (inexactNumber !== undefined) {
    return { problem: `the number ${inexactNumber.slice(0, 40)} is too large to be exact` };
  }
  const bare = toBareJson(parsed);
  return bare.ok ? { value: bare.value } : { problem: bare.reason };
}
