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
