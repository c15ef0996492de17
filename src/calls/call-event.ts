import type { PlaceInBatch } from '../tools/policy/approval-request.ts';

/** What happens to one tool call, at the moment it happens, and which program made the call. */
export type CallEvent = CallStep & CallingProgram;

/** The program that made a call, and where. A direct call has none of this. */
export interface CallingProgram {
  /** The id of the program, as in the audit log. Unique among the programs of its session. */
  readonly programId?: string;
  /** The id that tools get as `ToolContext.runId`. */
  readonly runId?: string;
  /**
   * The line of the program that made the call, from 1. The program could have made it wrong. Absent
   * if it is not known, as in bash.
   */
  readonly line?: number;
}

/** What happens to one tool call. */
export type CallStep =
  | {
      readonly type: 'tool-call-started';
      readonly callId: string;
      readonly toolName: string;
      readonly arguments: unknown;
    }
  /** A call waits for an approver. */
  | {
      readonly type: 'approval-requested';
      readonly callId: string;
      readonly toolName: string;
      /** The id of the request, with which it can be decided, such as with `ApprovalQueue.approve`. */
      readonly requestId: string;
      /** As the caller sent them. */
      readonly arguments: unknown;
      /** The reason of the rule that asks. */
      readonly reason: string | undefined;
      /** When the request expires, which rejects the call. Milliseconds since the epoch. */
      readonly expiresAtMs: number;
      /**
       * Its place in the batch with which it can be decided, such as with `ApprovalQueue.decideBatch`.
       * The batch is complete with the call whose `number` is `calls`. @default it is asked alone
       */
      readonly batch?: PlaceInBatch;
    }
  /** The approver has decided, or did not in time. Left out if the program ends first. */
  | {
      readonly type: 'approval-decided';
      readonly callId: string;
      readonly toolName: string;
      /** The id of the request that was decided. */
      readonly requestId: string;
      readonly decision: 'approved' | 'rejected' | 'expired';
      /** As the caller sent them, or as the approver changed them. */
      readonly arguments: unknown;
      /** The reason of the rule that asked, or of the approver that rejected. */
      readonly reason: string | undefined;
      /** The id of the grant that the approver gave with the approval. */
      readonly grantId: string | undefined;
    }
  /** A rule asks about the call, and a grant covers it: no approver was asked. */
  | {
      readonly type: 'approval-granted';
      readonly callId: string;
      readonly toolName: string;
      /** As the caller sent them. */
      readonly arguments: unknown;
      /** The reason of the rule that asks. */
      readonly reason: string | undefined;
      readonly grantId: string;
      /** How many more calls the grant covers. */
      readonly callsLeft: number;
    }
  /**
   * A call got its receipt (`whenAsked: 'defer'`). When its program has ended, the approver is asked
   * if it ended well, and `tool-call-ended` says what came of the call.
   */
  | {
      readonly type: 'tool-call-deferred';
      readonly callId: string;
      readonly toolName: string;
      /** As the caller sent them. */
      readonly arguments: unknown;
      /** Why the approver will be asked: the reason of the rule, or what was counted. */
      readonly reason: string | undefined;
      /** The number of the receipt. */
      readonly number: number;
    }
  /** The tool reports how far a call is. A listener that is slower gets fewer. */
  | {
      readonly type: 'tool-call-progressed';
      readonly callId: string;
      readonly toolName: string;
      /** How much is done, in a unit of the tool's. */
      readonly progress: number;
      /** How much there is to do; undefined if that is not known. */
      readonly total: number | undefined;
      /** One line of at most 1000 characters, and escapes for control characters. */
      readonly message: string | undefined;
    }
  | {
      readonly type: 'tool-call-ended';
      readonly callId: string;
      readonly toolName: string;
      readonly durationMs: number;
      /** The first 10,000 characters of the result as JSON text; undefined if the call failed. */
      readonly result: string | undefined;
      /**
       * The length of the result as JSON text, in UTF-16 units: what direct tool calling would add
       * to the context.
       */
      readonly resultCharacters: number;
      /** Set if the call failed. */
      readonly error: { readonly type: string; readonly message: string } | undefined;
    };
