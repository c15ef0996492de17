import type { ExecutionResult } from '../../execution/execution.ts';
import type { OutputCursor } from '../../execution/held/held-program.ts';
import type { OutputFile } from '../../execution/files/output-files.ts';
import { unawaitedCallsText, stoppedProgramText, type CallRecord } from '../call-record.ts';
import { shortened } from '../long-text/cut-text.ts';
import { fitText, type LongText } from '../long-text/long-text.ts';
import { deferredText } from '../calls/deferred-text.ts';
import { answerOf, type ProgramAnswer } from './code-answer.ts';
import type { CodeRun } from './code-run.ts';

const CUT_OFF = 'This program did not finish.';
const NOTHING = '(The program ended without printing anything.)';
const NOTHING_MORE = '(The program ended without printing anything more.)';
const ADVICE = 'print less, or look at parts in a further run';

/**
 * Describes a program's result for the model: its output, and the error with its reason and line.
 * @param record - Its tool calls. A program that ended by itself has their outcomes, except for
 *   calls it did not wait for. For a program that was stopped, the model must get the outcome of
 *   each.
 * @param maxBytes - How much text the model gets.
 * @param keep - Keeps output that is too long.
 */
export async function describeResult(
  run: CodeRun,
  record: CallRecord,
  maxBytes: number,
  keep: LongText['keep'],
): Promise<ProgramAnswer> {
  const { hint } = run;
  const result = hint === undefined ? run.result : { ...run.result, hint };
  const endedByItself = result.status === 'ok' || result.status === 'error';
  const calls = endedByItself ? unawaitedCallsText(record) : stoppedProgramText(CUT_OFF, record);
  const notes = shortened(joined(notesOf(result, run)), Math.floor(maxBytes / 2));
  const deferred = deferredText(result.deferred ?? []);
  const output = {
    text: outputOf(unseen(result, run.seen)),
    what: 'output',
    isIncomplete: result.truncated,
    besideBytes: Buffer.byteLength(notes) + Buffer.byteLength(deferred) + Buffer.byteLength(calls),
    advice: ADVICE,
    keep,
  } as const;
  const { text, kept } = await fitText(output, maxBytes);
  const all =
    joined([text, notes, deferred, calls]) || (run.seen === undefined ? NOTHING : NOTHING_MORE);
  if (kept === undefined) return answerOf(result, all);
  const { path, sizeBytes } = kept;
  return answerOf({ ...result, fullOutput: { path, sizeBytes } }, all);
}

/** What a program printed, as the model sees it. */
export function outputOf({ stdout, stderr }: Pick<ExecutionResult, 'stdout' | 'stderr'>): string {
  if (stderr.trim() === '') return stdout;
  return joined([stdout.trimEnd(), `[stderr]\n${stderr}`]);
}

/** What the model has not seen yet. */
function unseen(
  { stdout, stderr }: ExecutionResult,
  seen: OutputCursor = { stdout: 0, stderr: 0 },
): Pick<ExecutionResult, 'stdout' | 'stderr'> {
  return { stdout: stdout.slice(seen.stdout), stderr: stderr.slice(seen.stderr) };
}

function notesOf(
  result: ExecutionResult,
  { stateWasLost, inputProblems }: CodeRun,
): readonly string[] {
  const notes: string[] = [];
  if (result.images.length > 0) notes.push(shownNote(result.images.length));
  notes.push(...result.imageProblems.map((problem) => `[${problem}]`));
  if (result.files.length > 0) notes.push(filesNote(result.files));
  notes.push(...result.fileProblems.map((problem) => `[${problem}]`));
  if (result.error !== undefined) notes.push(describeError(result));
  notes.push(...inputProblems.map((problem) => `[${problem}]`));
  if (stateWasLost) notes.push('[The session was new: variables of earlier programs are gone.]');
  if (!result.sessionOpen) {
    notes.push('[The session has ended: the next program starts without any variables.]');
  }
  if (result.hint !== undefined) notes.push(`[Hint: ${result.hint}]`);
  return notes;
}

export function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function shownNote(count: number): string {
  return count === 1 ? '[The program showed 1 image.]' : `[The program showed ${count} images.]`;
}

function filesNote(files: readonly OutputFile[]): string {
  const named = files.map(({ name, sizeBytes }) => `${name} (${sizeBytes} B)`);
  return `[The user gets these files of $OUTPUT_DIR, which is empty again: ${named.join(', ')}.]`;
}

function describeError({ error, status }: ExecutionResult): string {
  if (error === undefined) return '';
  const where = error.line === null || status === 'error' ? '' : ` (stopped at line ${error.line})`;
  return `${error.traceback}${where}`;
}
