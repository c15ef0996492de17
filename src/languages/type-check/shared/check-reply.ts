import { isRecord } from '../../../shared/guards.ts';
import { BOUNDS, type CheckAnswer, type CheckReply, type TypeProblem } from './check-messages.ts';

/**
 * Reads a line from the compiler's process, which is trusted as little as the program that it
 * checks.
 * @returns undefined if the line is not a reply within the limits.
 */
export function readReply(line: string): CheckReply | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { ready, failure, end, answer } = value;
  if (ready === true) return { ready };
  if (isText(failure, BOUNDS.message)) return { failure };
  if (isText(end, BOUNDS.message)) return { end };
  return isAnswer(answer) ? { answer } : undefined;
}

/** The text of a reply, or of a failure if the reply exceeds the limits. */
export function writeReply(reply: CheckReply): string {
  const text = JSON.stringify(reply);
  if (text.length <= BOUNDS.reply && readReply(text) !== undefined) return text;
  return JSON.stringify({
    failure: `it declares more than ${BOUNDS.names} names, or one of more than ${BOUNDS.name} characters`,
  } satisfies CheckReply);
}

/** A message, cut to the limit. */
export function shortened(message: string): string {
  return message.length > BOUNDS.message ? `${message.slice(0, BOUNDS.message - 1)}…` : message;
}

function isAnswer(value: unknown): value is CheckAnswer {
  return (
    isRecord(value) &&
    isListOf(value['problems'], BOUNDS.problems, isProblem) &&
    isCount(value['problemCount']) &&
    value['problemCount'] >= value['problems'].length &&
    isListOf(value['names'], BOUNDS.names, isName) &&
    (value['text'] === undefined || isText(value['text'], BOUNDS.declarations)) &&
    isListOf(value['changed'], BOUNDS.names, isName)
  );
}

function isProblem(value: unknown): value is TypeProblem {
  return (
    isRecord(value) &&
    isCount(value['line']) &&
    isCount(value['column']) &&
    isCount(value['code']) &&
    isText(value['message'], BOUNDS.message)
  );
}

function isName(value: unknown): value is string {
  return isText(value, BOUNDS.name);
}

function isListOf<Item>(
  value: unknown,
  length: number,
  isItem: (item: unknown) => item is Item,
): value is readonly Item[] {
  return Array.isArray(value) && value.length <= length && value.every(isItem);
}

function isText(value: unknown, length: number): value is string {
  return typeof value === 'string' && value.length <= length;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
