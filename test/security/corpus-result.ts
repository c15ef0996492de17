import { expect } from 'vitest';
import type { DeferredOutcome } from '../../src/execution/deferred/deferred-call.ts';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import { type CorpusCase, type ExpectedText, OUTCOMES } from './corpus-case.ts';

/**
 * Whether the time limit, which must end the program, ended it before it printed and called all that it
 * must: the machine is busy.
 */
export function isEarly(
  result: ExecutionResult,
  { status, stdout, toolCalls }: CorpusCase,
): boolean {
  if (status !== 'timeout' || result.status !== 'timeout') return false;
  const isPrinted =
    stdout === undefined ||
    (typeof stdout === 'string'
      ? result.stdout.includes(stdout)
      : new RegExp(stdout.match).test(result.stdout));
  return !isPrinted || (typeof toolCalls === 'number' && result.toolCalls < toolCalls);
}

/** Compares what came of a program with what must. */
export function compare(result: ExecutionResult, expected: CorpusCase): void {
  const {
    status,
    stdout,
    stderr,
    error,
    sessionOpen = true,
    endsWhenIdle,
    toolCalls = 0,
    deferred = {},
  } = expected;
  const message = error?.message;
  // First, for a failure then shows what was wrong instead.
  if (status === 'ok') expect(result.error).toBeUndefined();
  expect(result).toMatchObject({
    status,
    ...(stdout !== undefined && { stdout: textOf(stdout) }),
    ...(stderr !== undefined && { stderr: textOf(stderr) }),
    ...(error === undefined
      ? {}
      : {
          error: {
            type: error.type,
            // A failure then shows it.
            message: message === undefined ? expect.any(String) : expect.stringMatching(message),
          },
        }),
    // It may have ended already.
    ...(!endsWhenIdle && { sessionOpen }),
    toolCalls: typeof toolCalls === 'number' ? toolCalls : expect.any(Number),
  });
  if (typeof toolCalls !== 'number') expect(result.toolCalls).toBeLessThanOrEqual(toolCalls.atMost);
  for (const outcome of OUTCOMES) {
    const calls = outcomes(result, outcome);
    const count = deferred[outcome] ?? 0;
    if (typeof count === 'number') expectSame(`deferred calls: ${outcome}`, calls, count);
    else expect(calls).toBeLessThanOrEqual(count.atMost);
  }
}

/** How many of the calls that a program deferred had this outcome. */
export function outcomes({ deferred = [] }: ExecutionResult, outcome: DeferredOutcome): number {
  return deferred.filter((call) => call.outcome === outcome).length;
}

/** Sees that the error of a program names the time limit that ended it. */
export function expectLimit({ error }: ExecutionResult, timeoutMs: number): void {
  expect(error?.message).toContain(`limit of ${timeoutMs} ms`);
}

/** What a text is compared with. */
export function textOf(text: ExpectedText): unknown {
  return typeof text === 'string' ? text : expect.stringMatching(text.match);
}

/** Compares a value, and names it if it differs. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  expect({ [what]: actual }).toEqual({ [what]: expected });
}
