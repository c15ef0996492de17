import type { ExecutionResult } from '../execution/execution.ts';
import { contextText } from './context-text.ts';

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
  return text === ''
    ? '(The program ended without printing anything.)'
    : contextText(text, 'print less, or look at parts in a further run');
}

function describeError({ error, status }: ExecutionResult): string {
  if (error === undefined) return '';
  const where = error.line === null || status === 'error' ? '' : ` (stopped at line ${error.line})`;
  return `${error.traceback}${where}`;
}
