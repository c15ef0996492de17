import assert from 'node:assert/strict';
import type { ExecutionResult, ExecutionStatus } from '../execution/execution.ts';
import type { ProgramOutcome } from './programs/contract-programs.ts';

/** What a result must have. What is not given is not compared. */
export interface ExpectedResult extends ProgramOutcome {
  readonly status: ExecutionStatus;
  /** @default 0 if `status` is `ok` */
  readonly exitCode?: number;
  readonly toolCalls?: number;
  readonly truncated?: boolean;
  /** @default true if `status` is `ok` or `error` */
  readonly sessionOpen?: boolean;
}

/**
 * Compares a result with what the test expects. What the program says of its result comes first.
 * @throws AssertionError that shows the whole result.
 */
export function checkResult(
  result: ExecutionResult,
  expected: ExpectedResult,
  program: ProgramOutcome = {},
): void {
  const { status } = expected;
  const { exitCode, sessionOpen, stderr, ...rest } = {
    ...expected,
    ...(program.stdout !== undefined && { stdout: program.stdout }),
    ...(program.stderr !== undefined && { stderr: program.stderr }),
    ...(program.errorType !== undefined && { errorType: program.errorType }),
    ...(program.errorLine !== undefined && { errorLine: program.errorLine }),
    ...(program.errorMessage !== undefined && { errorMessage: program.errorMessage }),
  };
  const compare = (what: string, actual: unknown, wanted: unknown): void => {
    const holds =
      wanted === undefined ||
      (wanted instanceof RegExp ? wanted.test(String(actual)) : Object.is(actual, wanted));
    if (!holds) assert.fail(describe(what, wanted, result));
  };
  compare('status', result.status, status);
  compare('success', result.success, status === 'ok');
  compare('error', result.error === undefined, status === 'ok');
  compare('stdout', result.stdout, rest.stdout);
  compare('stderr', result.stderr, stderr ?? (status === 'ok' ? '' : undefined));
  compare('exitCode', result.exitCode, exitCode ?? (status === 'ok' ? 0 : undefined));
  compare('error.type', result.error?.type, rest.errorType);
  compare('error.line', result.error?.line, rest.errorLine);
  compare('error.message', result.error?.message, asPattern(rest.errorMessage));
  compare('toolCalls', result.toolCalls, rest.toolCalls);
  compare('truncated', result.truncated, rest.truncated);
  const keepsSession = status === 'ok' || status === 'error' ? true : undefined;
  compare('sessionOpen', result.sessionOpen, sessionOpen ?? keepsSession);
}

/** @returns a pattern that finds the text anywhere in a message. */
function asPattern(part: string | RegExp | undefined): RegExp | undefined {
  if (typeof part !== 'string') return part;
  return new RegExp(part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
}

function describe(what: string, wanted: unknown, result: ExecutionResult): string {
  const expected = wanted instanceof RegExp ? String(wanted) : JSON.stringify(wanted);
  return `${what} should be ${shorten(expected)}. The result: ${shorten(JSON.stringify(result, null, 2))}`;
}

function shorten(text: string): string {
  return text.length <= 4000 ? text : `${text.slice(0, 2000)} … ${text.slice(-2000)}`;
}
