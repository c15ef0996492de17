import type { CallingUnit } from '../../src/tools/policy/call-gate.ts';
import type { CallOrigin } from '../../src/tools/tool.ts';

/** Whose a tool call is that no session made, `changes` aside. */
export function callOrigin(changes: Partial<CallOrigin> = {}): CallOrigin & { sessionId: string } {
  return {
    sessionKey: undefined,
    labels: {},
    runId: 'run',
    context: undefined,
    ...changes,
    sessionId: changes.sessionId ?? 'session',
  };
}

/** A program, `changes` aside, whose calls pass a policy. */
export function callingUnit(changes: Partial<CallingUnit> = {}): CallingUnit {
  return { program: {}, runId: 'run', sessionId: 'session', endsRun: true, ...changes };
}
