import { constants } from 'node:os';
import type { OutcomeMessage } from '../../protocol/messages.ts';

/**
 * Says why an interpreter ended that was killed: its supervisor saw how, but only the host knows why.
 * @param wasForMemory - Whether a process of the sandbox was ended for want of memory; asked where that is in question.
 */
export function explainEnd(outcome: OutcomeMessage, wasForMemory: () => boolean): OutcomeMessage {
  const { interpreter_end: end, error } = outcome;
  if (end?.reason !== 'signal' || end.status !== constants.signals.SIGKILL || !wasForMemory()) {
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
