import { withExactNumbers } from '../../../protocol/exact-numbers.ts';
import { escapeControls } from '../../../shared/control-characters.ts';
import { isRecord } from '../../../shared/guards.ts';
import { messageOf } from '../../../shared/errors.ts';
import { toJsonText } from '../../../shared/json/json.ts';
import { ToolCallFailure } from '../../../tools/tool-call-failure.ts';
import type { Validation } from '../../../tools/tool.ts';
import { fieldsOf } from './fields-of.ts';

/** How many characters of JSON a result can have. Programs get results as one frame. */
const MAXIMUM_RESULT = 8 * 2 ** 20;

/**
 * What a program gets for the result of a call.
 * @param validate - The check of the tool's output schema; undefined if it has none.
 * @throws ToolCallFailure if the server reports an error, or the result cannot be used.
 */
export function readCallResult(
  result: unknown,
  validate: ((value: unknown) => Validation) | undefined,
): unknown {
  if (!isRecord(result)) throw invalid('the server returned no result');
  const content = Array.isArray(result['content']) ? result['content'].filter(isRecord) : [];
  if (result['isError'] === true) throw new ToolCallFailure('Failed', errorText(content));
  const value = valueOf(result['structuredContent'], content, validate);
  assertSendable(value);
  return value;
}

/** @throws ToolCallFailure if programs cannot get a value, because it is not JSON or too long. */
export function assertSendable(value: unknown): void {
  let length: number;
  try {
    ({ length } = toJsonText(value));
  } catch (error) {
    throw invalid(messageOf(error));
  }
  if (length > MAXIMUM_RESULT) {
    throw invalid(
      `the result has ${length} characters, and at most ${MAXIMUM_RESULT} are allowed; ask the tool for less`,
    );
  }
}

type Part = Readonly<Record<string, unknown>>;

function valueOf(
  structured: unknown,
  content: readonly Part[],
  validate: ((value: unknown) => Validation) | undefined,
): unknown {
  if (validate !== undefined) {
    if (structured === undefined) {
      throw invalid('the tool has an output schema, but returned no structured content');
    }
    const checked = validate(structured);
    if (checked.valid) return structured;
    throw invalid(
      `the result failed the check against the tool's output schema, which is a fault of the server and not of this call: ${checked.message}`,
    );
  }
  const [only] = content;
  if (only === undefined) return structured ?? null;
  if (content.length > 1 || typeof only['text'] !== 'string' || only['type'] !== 'text') {
    return content.map(readPart);
  }
  return readText(only['text']);
}

/** Most servers write objects and lists as text. Other text, such as `7`, may be meant as text. */
function readText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const exact = withExactNumbers(text);
  return exact === text ? value : JSON.parse(exact);
}

/** The fields of each type of content that programs can use. Annotations and metadata are left out. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['mimeType', 'data'],
  audio: ['mimeType', 'data'],
  resource_link: ['uri', 'name', 'title', 'description', 'mimeType', 'size'],
};

function readPart(part: Part): Part {
  const { type, resource } = part;
  if (type === 'resource' && isRecord(resource)) {
    const { blob: data, text } = resource;
    return {
      type,
      ...fieldsOf(resource, ['uri', 'mimeType']),
      ...(data === undefined ? { text } : { data }),
    };
  }
  return { type, ...fieldsOf(part, FIELDS[String(type)] ?? []) };
}

function errorText(content: readonly Part[]): string {
  const texts = content.map(({ text }) => text).filter((text) => typeof text === 'string');
  return escapeControls(texts.join('\n')) || 'the server reported an error without a message';
}

function invalid(message: string): ToolCallFailure {
  return new ToolCallFailure('InvalidResult', message);
}
