import type { ExecutionResult } from '../../execution/execution.ts';
import { unawaitedCallsText, stoppedProgramText, type CallRecord } from '../call-record.ts';
import { contextText } from './context-text.ts';

const CUT_OFF = 'This program did not finish.';

/**
 * Describes a program's result for the model: its output, and the error with its reason and line.
 * @param record - Its tool calls. A program that ended by itself has their outcomes, except for
 *   calls it did not wait for. For a program that was stopped, the model must get the outcome of
 *   each.
 */
export function describeResult(
  result: ExecutionResult,
  stateWasLost: boolean,
  record: CallRecord,
): string {
  const parts = [result.stdout.trimEnd()];
  if (result.images.length > 0) parts.push(shownNote(result.images.length));
  parts.push(...result.imageProblems.map((problem) => `[${problem}]`));
  if (result.stderr.trim() !== '') parts.push(`[stderr]\n${result.stderr.trimEnd()}`);
  if (result.error !== undefined) parts.push(describeError(result));
  if (stateWasLost) {
    parts.push('[The session was new: variables of earlier programs are gone.]');
  }
  if (!result.sessionOpen) {
    parts.push('[The session has ended: the next program starts without any variables.]');
  }
  const text = parts.filter((part) => part !== '').join('\n');
  const endedByItself = result.status === 'ok' || result.status === 'error';
  const calls = endedByItself ? unawaitedCallsText(record) : stoppedProgramText(CUT_OFF, record);
  return text === '' && calls === ''
    ? '(The program ended without printing anything.)'
    : contextText(text, 'print less, or look at parts in a further run', calls);
}

function shownNote(count: number): string {
  return count === 1 ? '[The program showed 1 image.]' : `[The program showed ${count} images.]`;
}

function describeError({ error, status }: ExecutionResult): string {
  if (error === undefined) return '';
  const where = error.line === null || status === 'error' ? '' : ` (stopped at line ${error.line})`;
  return `${error.traceback}${where}`;
}
