import type { ExecutionResult } from '../execution/execution.ts';
import type { AuditSink, ProgramRefusedEntry } from '../audit/entry.ts';
import { untilAborted } from '../shared/async/abort.ts';
import type { ProgramRefusal } from '../languages/program-checker.ts';

/**
 * Records that a program was not run, and returns its result.
 * @param stop - Ends the wait for room in the audit log.
 */
export async function refuse(
  refusal: ProgramRefusal,
  program: Pick<ProgramRefusedEntry, 'sessionId' | 'language' | 'code'>,
  {
    started,
    audit,
    stop,
  }: {
    /** When its check began, on the monotonic clock. */
    readonly started: number;
    readonly audit: AuditSink | undefined;
    readonly stop: AbortSignal;
  },
): Promise<ExecutionResult> {
  const durationMs = performance.now() - started;
  audit?.record({ type: 'program-refused', ...program, error: refusal.type, durationMs });
  const recorded = audit?.ready();
  if (recorded !== undefined) await untilAborted(recorded, stop);
  return refusedResult(refusal, program.sessionId, durationMs);
}

function refusedResult(
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
    images: [],
    imageProblems: [],
    files: [],
    fileProblems: [],
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
