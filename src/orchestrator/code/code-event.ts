import type { ExecutionEvent, ExecutionResult } from '../../execution/execution.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { SessionInfo } from '../../sessions/session/session-info.ts';
import type { PtcErrorCode } from '../../shared/errors.ts';

/** The events of one call of `execute_code`, in order. */
export type CodeEvent =
  /** A sandbox was started or taken over for the program. */
  | { readonly type: 'session-opened'; readonly session: SessionInfo }
  | { readonly type: 'program-started'; readonly language: LanguageName; readonly code: string }
  | ExecutionEvent
  /** The program goes on, and the model gets what it printed so far (`yieldAfterMs`). */
  | {
      readonly type: 'program-yielded';
      /** The id with which the model goes on with it. */
      readonly program: string;
      /** How long it has run. */
      readonly durationMs: number;
    }
  | ({ readonly type: 'program-ended' } & ProgramEnd);

/**
 * How a program ended: with a result, or with an error of the host, for example because no sandbox
 * could be started.
 */
export type ProgramEnd =
  | { readonly result: ExecutionResult; readonly error: undefined }
  | {
      readonly result: undefined;
      /** Describes the error that `CodeTool.execute` throws. A run may end with another one. */
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    };
