import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import type { OutcomeMessage } from '../protocol/messages.ts';
import type { ExecutionError, ExecutionStatus } from './execution.ts';
import type { RunEnd } from './run-options.ts';
import type { StopCause } from './run-budgets.ts';

/** Of each text of an error so much is kept; our runner sends half as much. */
const MAX_ERROR_TEXT_LENGTH = 32_768;

/** A run's end as its result tells it. */
export interface RunDescription {
  readonly status: ExecutionStatus;
  readonly error: ExecutionError | undefined;
  readonly exitCode: number;
  readonly value: JsonValue | undefined;
}

/**
 * What a run's end means for the caller. Why the host stopped it outweighs what the runner says of the
 * error. A program that was stopped for its time or by its caller and came to a good end all the same,
 * however late, counts as one that did; a budget that was passed stays passed.
 */
export function describeRun(end: RunEnd): RunDescription {
  // Without an outcome, nobody says that it is all that the program handed back.
  return { ...describeEnd(end), value: end.outcome && end.value };
}

function describeEnd(end: RunEnd): Omit<RunDescription, 'value'> {
  const { outcome, stopCause, lost } = end;
  const ended = outcome?.success === true && outcome.interpreter_end === null;
  if (ended && (stopCause === undefined || mayHaveMissed(stopCause))) {
    return { status: 'ok', error: undefined, exitCode: outcome.exit_code };
  }
  if (stopCause !== undefined) {
    return { status: stopCause.status, error: stopError(stopCause, outcome), exitCode: 1 };
  }
  if (outcome === undefined) {
    const broken = PtcError.isInstance(lost) && lost.code === 'PROTOCOL_VIOLATION';
    return {
      status: broken ? 'protocol' : 'sandbox-lost',
      error: hostError(broken ? 'ProtocolViolation' : 'SandboxLost', messageOf(lost)),
      exitCode: 1,
    };
  }
  return {
    status: statusOf(outcome),
    error: outcome.error
      ? bounded(outcome.error)
      : hostError('UnknownError', 'the runner gave no reason'),
    exitCode: outcome.exit_code === 0 ? 1 : outcome.exit_code,
  };
}

/** Its texts, no longer than the limit: a program chooses them, the name of its error's class too. */
function bounded(error: ExecutionError): ExecutionError {
  return {
    type: error.type.slice(0, MAX_ERROR_TEXT_LENGTH),
    message: error.message.slice(0, MAX_ERROR_TEXT_LENGTH),
    line: error.line,
    traceback: error.traceback.slice(0, MAX_ERROR_TEXT_LENGTH),
  };
}

/** Whether a stop and a program's end can just have missed each other. */
function mayHaveMissed({ status }: StopCause): boolean {
  return status === 'timeout' || status === 'cancelled';
}

function statusOf(outcome: OutcomeMessage): ExecutionStatus {
  if (outcome.interpreter_end === null) return 'error';
  return outcome.interpreter_end.reason === 'memory' ? 'memory' : 'sandbox-lost';
}

function stopError(cause: StopCause, outcome: OutcomeMessage | undefined): ExecutionError {
  const { type, message } = cause;
  if (outcome !== undefined && outcome.interpreter_end === null) {
    // Where the interrupt found the program.
    return { ...hostError(type, message), line: outcome.error?.line ?? null };
  }
  return hostError(type, `${message}, and it did not stop: the state of its session is lost`);
}

function hostError(type: string, message: string): ExecutionError {
  return { type, message, line: null, traceback: `${type}: ${message}` };
}
