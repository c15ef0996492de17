import type { Approver } from '../../../tools/policy/approval.ts';
import type { ToolProgress } from '../../../tools/tool.ts';

/** The client that made a call, as the call sees it. */
export interface CallClient {
  /** Its direct calls with the same id are counted together, as those of a session. */
  readonly id: string;
  /** Decides the calls about which the policy asks, if the policy has no approver of its own. */
  readonly approver: Approver;
  /** Told when the program of the call begins: it may wait for those of earlier calls. */
  readonly onProgramStarted?: () => void;
  /** Told of each tool call of the program. Its further calls wait until the promise settles. */
  readonly onToolCall: (toolName: string) => Promise<void> | undefined;
  /** Told what the tool of a direct call reports. */
  readonly onProgress: (progress: ToolProgress) => Promise<void> | undefined;
  /** Fires if the client no longer waits for the result. */
  readonly signal: AbortSignal;
}
