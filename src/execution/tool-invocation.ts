import type { Place } from '../shared/places.ts';
import type { CallDecision, CallGate } from '../tools/policy-gate.ts';
import type { CallOrigin, ToolCaller } from '../tools/tool.ts';
import type { CallLog } from './call-log.ts';
import type { OpenCalls } from './open-calls.ts';

/** A tool call on its way, and what it waits for. */
export interface ToolInvocation {
  readonly toolName: string;
  /** Read whenever they are needed. */
  readonly arguments: unknown;
  readonly caller: ToolCaller;
  readonly callId: string;
  readonly origin: CallOrigin;
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Where it hears that its program gave it up. @default it never does */
  readonly openCalls?: OpenCalls;
  /** Its place among the calls that are worked on, which it has already. It leaves it while people decide. @default none */
  readonly place?: Place;
  /** What holds its arguments, and lets go of them while it waits for others that wait for people. @default nothing does */
  readonly held?: { readonly isShort: boolean; pack(): void; unpack(): Promise<void> | undefined };
  /** What it waits for before the tool runs, such as room in the audit log. @default nothing */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
  /** Writes the call down before its tool runs, and its outcome. @default nothing does */
  readonly log?: CallLog | undefined;
  /** What the call has to pass beside its tool's schema. @default nothing */
  readonly policy?: CallGate | undefined;
  /** Hears for how many milliseconds the check of its arguments used the processor. */
  readonly onValidated?: ((durationMs: number) => void) | undefined;
  /** Hears what the policy decides, but not of calls that it allows at once. Must not throw. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
}
