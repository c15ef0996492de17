import type { CallRecorder } from '../../calls/call-recorder.ts';
import {
  admitDeferred,
  runDeferred,
  type AdmittedCall,
  type ToolLookup,
} from '../../calls/invoke-tool.ts';
import {
  failed,
  type Deferral,
  type FailedCall,
  type ToolOutcome,
} from '../../calls/tool-outcome.ts';
import { beginningOf } from '../../shared/beginning-of.ts';
import type { CallGate } from '../../tools/policy/call-gate.ts';
import type { Tool } from '../../tools/tool.ts';
import type { ProgramInvocations } from '../program-invocations.ts';
import type { DeferredCall, DeferredOutcome } from './deferred-call.ts';
import type { ReceivedCall } from '../received-call.ts';

/** How much of a result is kept, in characters, as for listeners. */
const MAX_RESULT_LENGTH = 10_000;

/** A call for which its program has a receipt. */
export interface KeptCall {
  readonly call: ReceivedCall;
  readonly deferral: Deferral;
}

export interface DeferredSettlement {
  readonly tools: ToolLookup;
  readonly invocations: ProgramInvocations;
  readonly recorder: CallRecorder;
  readonly policy: CallGate;
  /** Whether the program ended well, so that its calls are made. */
  readonly endedWell: boolean;
  /** Fires if the calls that were not made yet must not be made any more. */
  readonly signal: AbortSignal;
}

/** A call that was decided. */
interface DecidedCall extends KeptCall {
  readonly decision: AdmittedCall | FailedCall;
}

/**
 * Does what is to be done with the deferred calls of a program that has ended: asks the approver about
 * all of them, then makes the approved ones in order. Never throws.
 */
export async function settleDeferred(
  kept: readonly KeptCall[],
  settlement: DeferredSettlement,
): Promise<readonly DeferredCall[]> {
  const decided = settlement.endedWell
    ? await decideAll(kept, settlement)
    : kept.map((one) => ({ ...one, decision: PROGRAM_FAILED }));
  const settled: DeferredCall[] = [];
  let failure: DeferredCall | undefined;
  for (const one of decided) {
    const call = await settleOne(one, failure, settlement);
    settled.push(call);
    // The next ones of a host that is stopped are told that themselves.
    const isFailure = one.decision.ok && call.error !== undefined && call.error !== STOPPED.failure;
    if (isFailure && settlement.policy.onDeferredFailure === 'stop') failure ??= call;
  }
  return settled;
}

const PROGRAM_FAILED = failed('Cancelled', 'the program did not end well');

const STOPPED = failed('Cancelled', 'the host was stopped before it made this call');

/**
 * Begins to check the calls one after another. An approver who decides batches gets one request with all
 * of them, others some requests at a time.
 */
async function decideAll(
  kept: readonly KeptCall[],
  { tools, invocations, policy, signal }: DeferredSettlement,
): Promise<readonly DecidedCall[]> {
  const deciding: Promise<DecidedCall>[] = [];
  const gate = policy.forDeferred();
  for (const { call } of kept) gate.group?.arrive(call.callId);
  for (const one of kept) {
    const { call, deferral } = one;
    // Many may be checked, and other work goes on meanwhile.
    await call.unpack();
    const decide = async (): Promise<DecidedCall> => {
      const invocation = invocations.ofDeferred(call, signal);
      const decision = await admitDeferred(tools, invocation, gate, deferral);
      gate.group?.arrived(call.callId);
      call.pack();
      return { ...one, decision };
    };
    deciding.push(decide());
  }
  const decided = await Promise.all(deciding);
  gate.group?.end();
  return decided;
}

async function settleOne(
  { call, deferral, decision }: DecidedCall,
  failure: DeferredCall | undefined,
  { invocations, recorder, signal }: DeferredSettlement,
): Promise<DeferredCall> {
  const began = performance.now();
  await call.unpack();
  const edited = decision.ok ? decision.editedArguments : undefined;
  const argumentsText = JSON.stringify(edited === undefined ? call.arguments : edited);
  let outcome: ToolOutcome;
  let wasRun = false;
  if (!decision.ok) outcome = decision;
  else if (signal.aborted) outcome = STOPPED;
  else if (failure !== undefined) outcome = notMadeAfter(failure);
  else {
    // It may be stopped before that: the call is recorded first.
    const onRun = (): void => {
      wasRun = true;
    };
    outcome = await runDeferred(toldOfRun(decision, onRun), invocations.ofDeferred(call, signal));
  }
  const durationMs = performance.now() - began;
  await recorder.ended(call, outcome, { durationMs, signal });
  call.pack();
  return {
    number: deferral.number,
    callId: call.callId,
    toolName: call.toolName,
    argumentsText,
    outcome: wasRun ? outcomeOf(outcome) : 'not-made',
    result: outcome.ok ? beginningOf(outcome.result.text, MAX_RESULT_LENGTH) : undefined,
    error: outcome.ok ? undefined : outcome.failure,
  };
}

/** The same call, which tells when its tool is run. */
function toldOfRun(call: AdmittedCall, onRun: () => void): AdmittedCall {
  const { tool } = call;
  const run: Tool['run'] = async (...how) => {
    onRun();
    return tool.run(...how);
  };
  return { ...call, tool: { ...tool, run } };
}

function notMadeAfter({ number, outcome }: DeferredCall): FailedCall {
  const what = outcome === 'unknown' ? 'may not have been done' : 'was not done';
  return failed('Cancelled', `the deferred call number ${number} ${what}`);
}

/** What is known of a call whose tool could run. */
function outcomeOf(outcome: ToolOutcome): DeferredOutcome {
  if (outcome.ok) return 'done';
  const { type } = outcome.failure;
  return UNKNOWN.has(type) ? 'unknown' : 'failed';
}

/** Failures of calls whose tools may still run, or may have run. */
const UNKNOWN: ReadonlySet<string> = new Set(['Timeout', 'Cancelled', 'HostError']);
