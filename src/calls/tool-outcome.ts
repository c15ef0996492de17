import type { JsonText, ToolFailure } from '../protocol/messages.ts';
import { beginningOf } from '../shared/beginning-of.ts';
import { messageOf } from '../shared/errors.ts';
import type { Tool } from '../tools/tool.ts';
import type { CountedBefore } from './limits/call-counter.ts';

export type ToolOutcome = { readonly ok: true; readonly result: JsonText } | FailedCall;

/** The outcome of a call that may have been deferred. */
export type CallOutcome =
  | {
      readonly ok: true;
      readonly result: JsonText;
      /** Set if it was. The result is its receipt then. */
      readonly deferred?: Deferral;
    }
  | FailedCall;

/** What is known of a call that is made when its program has ended. */
export interface Deferral extends CountedBefore {
  /** The number of its receipt: from 1, in the order in which the receipts were given. */
  readonly number: number;
  /** Why the approver is asked. */
  readonly reason: string | undefined;
}

export interface FailedCall {
  readonly ok: false;
  /** What the caller of the tool gets. */
  readonly failure: ToolFailure;
  /** The message for the host's listeners, if the tool hides it from the caller. */
  readonly hostMessage?: string;
}

/** The failure of a call as the host's listeners get it; undefined if it succeeded. */
export function failureForHost(outcome: ToolOutcome): ToolFailure | undefined {
  if (outcome.ok) return undefined;
  const { failure, hostMessage } = outcome;
  return hostMessage === undefined ? failure : { ...failure, message: hostMessage };
}

/** The longest message of a failure, in characters: some contain a whole web page. */
const MAX_MESSAGE_LENGTH = 10_000;

export function failed(type: string, message: string): FailedCall {
  return {
    ok: false,
    failure: { type, message: shorten(message) || 'it failed without a message' },
  };
}

/**
 * Of an error that a tool throws, only the message goes to the caller: no stack, no cause, no other
 * field.
 */
export function failedInTool(tool: Tool, type: string, error: unknown): FailedCall {
  const outcome = failed(type, messageOf(error));
  if (tool.errorDetails === 'message') return outcome;
  return { ...failed(type, 'the tool failed'), hostMessage: outcome.failure.message };
}

export function shorten(message: string): string {
  const left = message.length - MAX_MESSAGE_LENGTH;
  return left <= 0
    ? message
    : `${beginningOf(message, MAX_MESSAGE_LENGTH)} [… ${left} characters left out]`;
}
