import type { JsonText, ToolFailure } from '../protocol/messages.ts';

export type ToolOutcome = { readonly ok: true; readonly result: JsonText } | FailedCall;

export interface FailedCall {
  readonly ok: false;
  /** What the caller is told. */
  readonly failure: ToolFailure;
  /** The message for the host's own listeners, where the tool keeps it from the caller. */
  readonly hostMessage?: string;
}

/** What the host's listeners are told of a call's end. */
export function failureForHost(outcome: ToolOutcome): ToolFailure | undefined {
  if (outcome.ok) return undefined;
  const { failure, hostMessage } = outcome;
  return hostMessage === undefined ? failure : { ...failure, message: hostMessage };
}
