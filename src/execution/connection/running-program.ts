import type {
  CallGivenUpMessage,
  ToolCallMessage,
  WaitingMessage,
} from '../../protocol/call-messages.ts';
import type {
  ImageMessage,
  OutcomeMessage,
  OutputDeltaMessage,
  ReportMessage,
  ValueMessage,
} from '../../protocol/messages.ts';

/** A message of a runner about a program. */
export type ProgramMessage =
  | ToolCallMessage
  | CallGivenUpMessage
  | WaitingMessage
  | OutputDeltaMessage
  | ImageMessage
  | ReportMessage
  | ValueMessage
  | OutcomeMessage;

/** The program that a runner runs, as its connection knows it. */
export interface RunningProgram {
  readonly executionId: string;
  readonly tenant: string | undefined;
  /**
   * Gets each message about the program.
   * @param line - The frame, as the transport passes it.
   * @throws PtcError for a message that is not allowed now, which ends the runner.
   */
  onMessage(message: ProgramMessage, line: Buffer): void;
  /** The runner has ended. */
  onLost(error: Error): void;
}
