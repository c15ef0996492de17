import type { ExecutionResult } from '../execution/execution.ts';
import type { ProgramRefusal } from '../languages/program-checker.ts';

/** The result of a program that was not run. */
export function refusedResult(
  { type, message, line, report }: ProgramRefusal,
  sessionId: string,
  durationMs: number,
): ExecutionResult {
  return {
    status: 'error',
    success: false,
    stdout: '',
    stderr: '',
    value: undefined,
    error: { type, message, line, traceback: report },
    exitCode: 1,
    toolCalls: 0,
    durationMs,
    truncated: false,
    sessionId,
    sessionOpen: true,
  };
}

/** The result of a program that ran although its check found problems. */
export function withAdvice(
  result: ExecutionResult,
  found: ProgramRefusal | undefined,
): ExecutionResult {
  const { error } = result;
  if (found === undefined || error === undefined) return result;
  return { ...result, error: { ...error, traceback: `${error.traceback}\n${found.advice}` } };
}
