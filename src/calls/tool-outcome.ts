import type { JsonText, ToolFailure } from '../protocol/messages.ts';

export type ToolOutcome = { readonly ok: true; readonly result: JsonText } | FailedCall;

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
