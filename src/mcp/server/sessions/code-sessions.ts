import type { CodeTool } from '../../../orchestrator/code/code-tool.ts';
import { LatestCall } from '../calls/latest-call.ts';

/** A use of a session for one call. */
export interface SessionUse {
  readonly codeTool: CodeTool;
  /** The call that waits for its program. */
  readonly latestCall: LatestCall;
  /** The name by which later calls can continue the session; undefined if there is only one. */
  readonly handle: string | undefined;
  /** @param isKept - Whether the client gets a result that names the session. A new one that no result names ends. */
  release(isKept: boolean): void;
}

/** The sessions of one connection, or of an endpoint. */
export interface CodeSessions {
  /** Whether calls name their session. */
  readonly hasHandles: boolean;
  /**
   * Returns the session of a handle, or without one, a new session. Undefined if the caller has no
   * session with this handle.
   * @param caller - Who makes the call. A session belongs to the caller that opened it.
   */
  use(caller: string, handle: unknown): SessionUse | undefined;
  /** Ends all of them. */
  close(): Promise<void>;
}

/** One session for all calls. */
export function singleSession(codeTool: CodeTool): CodeSessions {
  const latestCall = new LatestCall();
  return {
    hasHandles: false,
    use: () => ({ codeTool, latestCall, handle: undefined, release: () => {} }),
    close: async () => codeTool.close(),
  };
}
