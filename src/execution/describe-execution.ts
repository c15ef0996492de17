import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type { OutcomeMessage } from '../protocol/messages.ts';
import type { ExecutionError, ExecutionStatus } from './execution.ts';
import type { StopCause } from './limits/execution-budgets.ts';

/** How much of each text of an error is kept, in characters. Our runner sends half as much. */
const MAX_ERROR_TEXT_LENGTH = 32_768;

/** How a program ended. `outcome` is the runner's report, if it could still send one. */
export interface ExecutionEnd {
  readonly outcome: OutcomeMessage | undefined;
  /** The value of the program. */
  readonly value: JsonValue | undefined;
  /** Set if the host stopped the program. */
  readonly stopCause: StopCause | undefined;
  /** Set if the sandbox was lost while the program ran. */
  readonly lost: Error | undefined;
}

/** How a program ended, in the terms of its result. */
export interface ExecutionDescription {
  readonly status: ExecutionStatus;
  readonly error: ExecutionError | undefined;
  readonly exitCode: number;
  readonly value: JsonValue | undefined;
}

/**
 * Determines the result of a program from how it ended. If the host stopped the program, the host's
 * reason takes precedence over the error that the runner reports. A program that was stopped for
 * its time limit or by its caller but still succeeded, however late, counts as successful. A
 * program that exceeded a budget does not.
 */
export function describeExecution(end: ExecutionEnd): ExecutionDescription {
  // Without an outcome, it is unknown whether the program returned another value.
  return { ...describeEnd(end), value: end.outcome && end.value };
}

function describeEnd(end: ExecutionEnd): Omit<ExecutionDescription, 'value'> {
  const { outcome, stopCause, lost } = end;
  const ended = outcome?.success === true && outcome.interpreter_end === null;
  if (ended && (stopCause === undefined || mayHaveMissed(stopCause))) {
    return { status: 'ok', error: undefined, exitCode: outcome.exit_code };
  }
  if (stopCause !== undefined) {
    return { status: stopCause.status, error: stopError(stopCause, end), exitCode: 1 };
  }
  if (outcome === undefined) {
    const { status, type } = describeLoss(lost);
    return { status, error: hostError(type, messageOf(lost)), exitCode: 1 };
  }
  return {
    status: statusOf(outcome),
    error: outcome.error
      ? bounded(outcome.error)
      : hostError('UnknownError', 'the runner reported a failure without an error'),
    exitCode: outcome.exit_code === 0 ? 1 : outcome.exit_code,
  };
}

/** Cuts the texts of an error: a program chooses them, including the name of the error's class. */
function bounded(error: ExecutionError): ExecutionError {
  return {
    type: error.type.slice(0, MAX_ERROR_TEXT_LENGTH),
    message: error.message.slice(0, MAX_ERROR_TEXT_LENGTH),
    line: error.line,
    traceback: error.traceback.slice(0, MAX_ERROR_TEXT_LENGTH),
  };
}

/** Whether a program can end normally at the moment in which it is stopped. */
function mayHaveMissed({ status }: StopCause): boolean {
  return status === 'timeout' || status === 'cancelled';
}

function statusOf(outcome: OutcomeMessage): ExecutionStatus {
  if (outcome.interpreter_end === null) return 'error';
  return outcome.interpreter_end.reason === 'memory' ? 'memory-limit' : 'sandbox-lost';
}

function describeLoss(lost: Error | undefined): {
  readonly status: ExecutionStatus;
  readonly type: string;
} {
  const { code, details } = PtcError.isInstance(lost) ? lost : {};
  if (code === 'PROTOCOL_VIOLATION') return { status: 'protocol-error', type: 'ProtocolViolation' };
  // Some engines end the whole sandbox, and only they know why.
  if (code === 'SANDBOX_LOST' && details?.['reason'] === 'memory') {
    return { status: 'memory-limit', type: 'InterpreterEnded' };
  }
  return { status: 'sandbox-lost', type: 'SandboxLost' };
}

function stopError(cause: StopCause, { outcome, lost }: ExecutionEnd): ExecutionError {
  const { type, message } = cause;
  if (outcome !== undefined && outcome.interpreter_end === null) {
    // The line at which the program was interrupted.
    return { ...hostError(type, message), line: outcome.error?.line ?? null };
  }
  const why = outcome?.error
    ? bounded(outcome.error).message
    : messageOf(lost ?? 'the runner reported no reason');
  return hostError(type, `${message}, and its session and variables are lost: ${why}`);
}

function hostError(type: string, message: string): ExecutionError {
  return { type, message, line: null, traceback: `${type}: ${message}` };
}
