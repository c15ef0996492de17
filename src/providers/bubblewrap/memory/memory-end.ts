import { constants } from 'node:os';
import type { OutcomeMessage } from '../../../protocol/messages.ts';

/**
 * Adds the reason to the outcome of a program whose interpreter was killed. The supervisor sees the
 * signal, but only the host knows that memory was the reason.
 * @param wasForMemory - Whether a process was ended because the sandbox used too much memory, since the end of
 * the program before.
 */
export function explainEnd(outcome: OutcomeMessage, wasForMemory: boolean): OutcomeMessage {
  const { interpreter_end: end, error } = outcome;
  if (end?.reason !== 'signal' || end.status !== constants.signals.SIGKILL || !wasForMemory) {
    return outcome;
  }
  const type = error?.type ?? 'InterpreterEnded';
  return {
    ...outcome,
    interpreter_end: { ...end, reason: 'memory' },
    error: { type, message: MESSAGE, line: null, traceback: `${type}: ${MESSAGE}` },
  };
}

const MESSAGE =
  'the program needed more memory than the sandbox has (signal 9); the session’s state is lost';
