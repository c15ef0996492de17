/** What happens to one tool call, at the moment it happens. */
export type CallEvent =
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
