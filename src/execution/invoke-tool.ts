import { messageOf } from '../shared/errors.ts';
import { toJsonText } from '../shared/json.ts';
import type { JsonText, ToolFailure } from '../protocol/messages.ts';
import type { CallDecision, GateResult, PolicyGate } from '../tools/policy-gate.ts';
import type { CallPlaces } from './call-places.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Tool, ToolCaller, ToolContext } from '../tools/tool.ts';

export interface ToolInvocation {
  readonly toolName: string;
  readonly arguments: unknown;
  readonly caller: ToolCaller;
  readonly callId: string;
  readonly sessionId: string | undefined;
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Where it hears that its program gave it up. @default it never does */
  readonly openCalls?: OpenCalls;
  /** Where it waits for its turn, once it may run. @default it need not */
  readonly places?: CallPlaces;
  /** What the call has to pass beside its tool's schema. @default nothing */
  readonly policy?: PolicyGate | undefined;
  /** The labels of its session, for the policy. @default none */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Hears what the policy decides, but not of calls that it allows at once. Must not throw. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
}

/** Where tools are looked up: a registry, or a snapshot of one. */
export interface ToolLookup {
  get(name: string): Tool | undefined;
}

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

/**
 * The one function that every tool call passes through, whoever makes it: look up, check the
 * caller, validate, ask the policy, run with a deadline, make the result JSON. Never throws: a failure
 * is for whoever called the tool.
 */
export async function invokeTool(
  tools: ToolLookup,
  invocation: ToolInvocation,
): Promise<ToolOutcome> {
  const tool = tools.get(invocation.toolName);
  if (tool === undefined) return failed('UnknownTool', 'there is no tool of this name');
  if (!tool.allowedCallers.includes(invocation.caller)) {
    return failed('NotAllowed', `this tool cannot be called ${CALLER_PHRASE[invocation.caller]}`);
  }
  const input = tool.validateInput(invocation.arguments);
  if (!input.valid) return failed('InvalidArguments', input.message);
  let { value } = input;
  if (invocation.policy !== undefined) {
    const passing = await passPolicy(invocation.policy, tool, value, invocation);
    if (!passing.passed) return failed(passing.type, passing.message);
    ({ value } = passing);
  }
  const { places } = invocation;
  const turn = places?.take();
  if (turn !== undefined) await turn;
  const outcome = await runWithDeadline(tool, value, invocation);
  places?.leave();
  if (!outcome.ok) return outcome;
  try {
    return { ok: true, result: { text: toJsonText(outcome.value) } };
  } catch (error) {
    return failedInTool(tool, 'InvalidResult', error);
  }
}

const CALLER_PHRASE: Record<ToolCaller, string> = {
  code: 'from code; call it as a tool of its own',
  direct: 'directly; call it from code',
};

/** Comes before the tool's deadline, since people may have to decide. */
async function passPolicy(
  policy: PolicyGate,
  tool: Tool,
  input: unknown,
  invocation: ToolInvocation,
): Promise<GateResult> {
  const { toolName, caller, callId, sessionId, labels = {} } = invocation;
  const { arguments: sent, onDecision, openCalls } = invocation;
  const call = { toolName, arguments: input, caller, callId, sessionId, labels };
  const givenUp = new AbortController();
  const signal = AbortSignal.any([invocation.signal, givenUp.signal]);
  openCalls?.enter(callId, () => givenUp.abort());
  try {
    return await policy.pass({ tool, call, sent, signal, onDecision });
  } finally {
    openCalls?.leave(callId);
  }
}

type RunOutcome = { readonly ok: true; readonly value: unknown } | FailedCall;

/** Runs the tool and stops waiting at its deadline, whether or not it heeds its signal. A late result is dropped. */
async function runWithDeadline(
  tool: Tool,
  input: unknown,
  invocation: ToolInvocation,
): Promise<RunOutcome> {
  const { signal, callId, openCalls } = invocation;
  const { context, abort } = openCall(invocation);
  return new Promise((resolve) => {
    let settled = false;
    const stop = (type: string, message: string): void => {
      settle(failed(type, message));
      abort(new Error(message));
    };
    const onAbort = (): void => stop('Cancelled', 'the run that made this call has ended');
    const onGivenUp = (): void => stop('Cancelled', 'its program no longer waits for it');
    const timer = setTimeout(
      () => stop('Timeout', `no answer within ${tool.timeoutMs} ms`),
      tool.timeoutMs,
    );
    const settle = (outcome: RunOutcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      openCalls?.leave(callId);
      settled = true;
      resolve(outcome);
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    openCalls?.enter(callId, onGivenUp);
    if (settled) return;
    runTool(tool, input, context).then(
      (value) => settle({ ok: true, value }),
      (error: unknown) => settle(failedInTool(tool, 'Failed', error)),
    );
  });
}

interface OpenCall {
  readonly context: ToolContext;
  readonly abort: (reason: Error) => void;
}

/** A call's signal is made when the tool asks for it: most never do, and it costs more than all else here. */
function openCall({ caller, callId, sessionId }: ToolInvocation): OpenCall {
  let controller: AbortController | undefined;
  let abortReason: Error | undefined;
  return {
    context: {
      caller,
      callId,
      sessionId,
      get signal() {
        if (controller === undefined) {
          controller = new AbortController();
          if (abortReason !== undefined) controller.abort(abortReason);
        }
        return controller.signal;
      },
    },
    abort(reason) {
      abortReason = reason;
      controller?.abort(reason);
    },
  };
}

/** Async, so that a tool that throws at once fails as one that throws later. */
async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  // The value comes from the tool's own validation, which is what its `run` expects.
  return tool.run(input as never, context);
}

/** Longest message of a failure, in characters: some have a whole web page in them. */
const MAX_MESSAGE_LENGTH = 10_000;

function failed(type: string, message: string): FailedCall {
  return {
    ok: false,
    failure: { type, message: shorten(message) || 'it failed without a message' },
  };
}

/** Of what a tool throws, only its message goes to the caller: no stack, no cause, no other field. */
function failedInTool(tool: Tool, type: string, error: unknown): FailedCall {
  const outcome = failed(type, messageOf(error));
  if (tool.errorDetails === 'message') return outcome;
  return { ...failed(type, 'the tool failed'), hostMessage: outcome.failure.message };
}

function shorten(message: string): string {
  const left = message.length - MAX_MESSAGE_LENGTH;
  return left <= 0
    ? message
    : `${message.slice(0, MAX_MESSAGE_LENGTH)} [… ${left} characters left out]`;
}
