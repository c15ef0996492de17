import { randomUUID } from 'node:crypto';
import { CallCounter } from '../../src/calls/limits/call-counter.ts';

/** Counts the calls of a program in a run and a session of its own. */
export function programCounter(): CallCounter {
  return CallCounter.ofProgram({ runId: randomUUID(), sessionId: randomUUID() });
}
