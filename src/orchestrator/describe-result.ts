import type { ExecutionResult } from '../execution/execution.ts';

/** Longest text of one run that goes into the model's context, in characters. */
const MAX_CONTEXT_LENGTH = 50_000;

/** What the model is told of a run: what it printed, and where it failed, why and on which line. */
export function describeResult(result: ExecutionResult, stateWasLost: boolean): string {
  const parts = [result.stdout.trimEnd()];
  if (result.stderr.trim() !== '') parts.push(`[stderr]\n${result.stderr.trimEnd()}`);
  if (result.error !== undefined) parts.push(describeError(result));
  if (stateWasLost) {
    parts.push('[The session was new: variables of earlier programs are gone.]');
  }
  if (!result.sessionOpen) {
    parts.push('[The session has ended: the next program starts without any variables.]');
  }
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' ? '(The program ended without printing anything.)' : shorten(text);
}

function describeError({ error, status }: ExecutionResult): string {
  if (error === undefined) return '';
  const where = error.line === null || status === 'error' ? '' : ` (stopped at line ${error.line})`;
  return `${error.traceback}${where}`;
}

/** Keeps the start and the end, and says how to see the rest. */
function shorten(text: string): string {
  if (text.length <= MAX_CONTEXT_LENGTH) return text;
  const half = MAX_CONTEXT_LENGTH / 2;
  const left = text.length - MAX_CONTEXT_LENGTH;
  return `${text.slice(0, half)}\n[… ${left} characters left out; print less, or look at parts in a further run …]\n${text.slice(-half)}`;
}
