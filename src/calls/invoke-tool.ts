import { untilAborted } from '../shared/async/abort.ts';
import { messageOf } from '../shared/errors.ts';
import { toJsonText } from '../shared/json/json.ts';
import { countLoopWork, isLoopTurnFull, timeInLoopTurn } from '../shared/async/event-loop-work.ts';
import { refusalOfResult } from './check-result.ts';
import { returnedFailure } from './returned-failure.ts';
import { admitCall, admitFreely, isAbandoned, untilReady, type Admission } from './admit-call.ts';
import { deferCall } from './deferred/defer-call.ts';
import type { CountedBefore } from './limits/call-counter.ts';
import { runWithDeadline } from './run-tool.ts';
import { failed, failedInTool, shorten } from './tool-outcome.ts';
import type { CallOutcome, FailedCall, ToolOutcome } from './tool-outcome.ts';
import type { ToolInvocation } from './tool-invocation.ts';
import { isRemote } from '../tools/remote-tool.ts';
import type { CallGate } from '../tools/policy/call-gate.ts';
import { CALL_NOT_AWAITED } from '../tools/policy/approval.ts';
import type { Tool, ToolCaller } from '../tools/tool.ts';

/** Where tools are looked up: a registry, or a snapshot of one. */
export interface ToolLookup {
  get(name: string): Tool | undefined;
}

/**
 * Carries out a tool call, from code or direct. It looks the tool up, checks the caller, validates
 * the arguments, asks the policy, counts the call, runs the tool with a time limit, converts the result to JSON, and
 * checks it against the tool's output schema. It never throws: a failure is returned to the caller of
 * the tool. The details of a failure of the host itself go only to the host's listeners. A call is
 * refused before that if its frame cannot be used, its program has ended, or the model was not
 * offered its tool. A call that is deferred gets a receipt instead of the result of its tool.
 */
export async function invokeTool(
  tools: ToolLookup,
  invocation: ToolInvocation,
): Promise<CallOutcome> {
  try {
    return await invoke(tools, invocation);
  } catch (error) {
    return hostFailure(error);
  }
}

async function invoke(tools: ToolLookup, invocation: ToolInvocation): Promise<CallOutcome> {
  const found = toolOf(tools, invocation);
  if (!found.ok) return found;
  const { tool } = found;
  const { policy } = invocation;
  const admission =
    policy === undefined
      ? admitFreely(tool, invocation)
      : await admitCall(policy, tool, invocation);
  invocation.onAdmitted?.();
  if (admission.passed === 'deferred') return deferCall(invocation, admission);
  if (!admission.passed) return failed(admission.type, admission.message);
  return carryOut(admitted(tool, admission), invocation);
}

/** A call that may run its tool. */
export interface AdmittedCall {
  readonly ok: true;
  readonly tool: Tool;
  /** What the tool gets. */
  readonly value: unknown;
  /** As in `GateResult`. */
  readonly editedArguments: unknown;
}

/**
 * The first half of `invokeTool`, for a call that was deferred: decides whether it may run. Never
 * throws.
 * @param policy - Decides it.
 * @param counted - What was found when it was counted.
 */
export async function admitDeferred(
  tools: ToolLookup,
  invocation: ToolInvocation,
  policy: CallGate,
  counted: CountedBefore,
): Promise<AdmittedCall | FailedCall> {
  const found = toolOf(tools, invocation);
  if (!found.ok) return found;
  const { tool } = found;
  try {
    const admission = await admitCall(policy, tool, invocation, counted);
    if (admission.passed === true) return admitted(tool, admission);
    // Without `deferrals`, no call is deferred.
    if (admission.passed === 'deferred') return failed('Cancelled', CALL_NOT_AWAITED);
    return failed(admission.type, admission.message);
  } catch (error) {
    return hostFailure(error);
  }
}

/** The second half. Never throws. */
export async function runDeferred(
  call: AdmittedCall,
  invocation: ToolInvocation,
): Promise<ToolOutcome> {
  try {
    return await carryOut(call, invocation);
  } catch (error) {
    return hostFailure(error);
  }
}

function admitted(
  tool: Tool,
  { value, editedArguments }: Extract<Admission, { passed: true }>,
): AdmittedCall {
  return { ok: true, tool, value, editedArguments };
}

function hostFailure(error: unknown): FailedCall {
  const hostMessage = shorten(messageOf(error));
  return { ...failed('HostError', 'the host could not carry out the call'), hostMessage };
}

function toolOf(
  tools: ToolLookup,
  { toolName, caller, remote }: ToolInvocation,
): { readonly ok: true; readonly tool: Tool } | FailedCall {
  const tool = tools.get(toolName);
  if (tool === undefined) return failed('UnknownTool', 'no tool has this name, or it was removed');
  if (!tool.allowedCallers.includes(caller)) {
    return failed('NotAllowed', `this tool cannot be called ${CALLER_PHRASE[caller]}`);
  }
  if (isRemote(tool) && remote === undefined) {
    return failed('NotAllowed', 'nobody here answers the calls of this remote tool');
  }
  return { ok: true, tool };
}

async function carryOut(call: AdmittedCall, invocation: ToolInvocation): Promise<ToolOutcome> {
  const ready = untilReady(invocation);
  if (ready !== undefined) await ready;
  // Its tool will not run, so no log may say that it could have.
  if (isAbandoned(invocation)) return failed('Cancelled', CALL_NOT_AWAITED);
  return logged(call, invocation, async () => resultOf(call.tool, call.value, invocation));
}

/** Records a call before its tool runs, and its outcome before the caller gets it. */
async function logged(
  admittedCall: AdmittedCall,
  invocation: ToolInvocation,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { log, signal, toolName, callId, caller } = invocation;
  if (log === undefined) return run();
  const { editedArguments: used = invocation.arguments } = admittedCall;
  const argumentsText = JSON.stringify(used);
  const call = { toolName, callId, caller, argumentsText };
  await untilAborted(log.started(call), signal);
  const outcome = await run();
  const isOver = outcome.ok || outcome.failure.type !== 'Cancelled';
  if (isOver) await untilAborted(log.ended(call, outcome), signal);
  return outcome;
}

async function resultOf(
  tool: Tool,
  input: unknown,
  invocation: ToolInvocation,
): Promise<ToolOutcome> {
  const outcome = await runWithDeadline(tool, input, invocation);
  if (!outcome.ok) return outcome;
  // Many tools may have returned at the same moment.
  if (isLoopTurnFull()) await timeInLoopTurn(invocation.origin.tenant);
  let text: string;
  try {
    if (isRemote(tool)) text = String(outcome.value);
    else {
      const failure = returnedFailure(outcome.value);
      if (failure !== undefined) return failedInTool(tool, failure.type, failure.message);
      text = toJsonText(outcome.value);
    }
  } catch (error) {
    return failedInTool(tool, 'InvalidResult', error);
  }
  countLoopWork(text.length);
  if (tool.validateResult !== undefined && isLoopTurnFull()) {
    await timeInLoopTurn(invocation.origin.tenant);
  }
  const refusal = refusalOfResult(tool, text, invocation);
  return refusal === undefined
    ? { ok: true, result: { text } }
    : failedInTool(tool, 'InvalidResult', refusal);
}

const CALLER_PHRASE: Record<ToolCaller, string> = {
  code: 'from code; call it directly, as a tool',
  direct: 'directly; call it from code',
};
