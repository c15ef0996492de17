import { messageOf } from '../shared/errors.ts';
import type { OutcomeMessage } from '../protocol/messages.ts';
import type { ExecutionError, ExecutionStatus } from './execution.ts';
import type { RunEnd, StopCause } from './run.ts';

/** A run's end as its result tells it. */
export interface RunDescription {
  readonly status: ExecutionStatus;
  readonly error: ExecutionError | undefined;
  readonly exitCode: number;
}

/**
 * What a run's end means for the caller. Why the host stopped it outweighs what the runner says of the
 * error; a program that came to a good end all the same, however late, counts as one that did.
 */
export function describeRun(end: RunEnd, timeoutMs: number): RunDescription {
  const { outcome, stopCause, lost } = end;
  if (outcome?.success === true && outcome.interpreter_end === null) {
    return { status: 'ok', error: undefined, exitCode: outcome.exit_code };
  }
  if (stopCause !== undefined) {
    return {
      status: stopCause,
      error: stopError(stopCause, timeoutMs, outcome),
      exitCode: 1,
    };
  }
  if (outcome === undefined) {
    return {
      status: 'sandbox-lost',
      error: hostError('SandboxLost', messageOf(lost)),
      exitCode: 1,
    };
  }
  return {
    status: statusOf(outcome),
    error: outcome.error ?? hostError('UnknownError', 'the runner gave no reason'),
    exitCode: outcome.exit_code === 0 ? 1 : outcome.exit_code,
  };
}

function statusOf(outcome: OutcomeMessage): ExecutionStatus {
  if (outcome.interpreter_end === null) return 'error';
  return outcome.interpreter_end.reason === 'memory' ? 'memory' : 'sandbox-lost';
}

function stopError(
  cause: StopCause,
  timeoutMs: number,
  outcome: OutcomeMessage | undefined,
): ExecutionError {
  const error =
    cause === 'timeout'
      ? hostError('Timeout', `the program ran longer than its limit of ${timeoutMs} ms`)
      : hostError('Cancelled', 'the program was cancelled');
  if (outcome !== undefined && outcome.interpreter_end === null) {
    // Where the interrupt found the program.
    return { ...error, line: outcome.error?.line ?? null };
  }
  return hostError(
    error.type,
    `${error.message}, and it did not stop: the state of its session is lost`,
  );
}

function hostError(type: string, message: string): ExecutionError {
  return { type, message, line: null, traceback: `${type}: ${message}` };
}
