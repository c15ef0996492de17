import { untilAborted } from '../shared/async/abort.ts';
import { messageOf } from '../shared/errors.ts';
import { toJsonText } from '../shared/json/json.ts';
import { ownLoopTurn, countLoopWork, isLoopTurnFull } from '../shared/async/event-loop-work.ts';
import { refusalOfResult } from './check-result.ts';
import { admitCall, untilReady, validate } from './admit-call.ts';
import type { FailedCall, ToolOutcome } from './tool-outcome.ts';
import type { ToolInvocation } from './tool-invocation.ts';
import { ProgressReports } from './progress-reports.ts';
import { ON_CALL_ABORT, type AbortableContext } from '../tools/call-abort.ts';
import { CallDeadline } from '../tools/limits/call-deadline.ts';
import { CALL_NOT_AWAITED } from '../tools/policy/approval.ts';
import { ToolCallFailure } from '../tools/tool-call-failure.ts';
import type { Tool, ToolCaller, ToolContext } from '../tools/tool.ts';

/** Where tools are looked up: a registry, or a snapshot of one. */
export interface ToolLookup {
  get(name: string): Tool | undefined;
}

/**
 * Carries out a tool call, from code or direct. It looks the tool up, checks the caller, validates
 * the arguments, asks the policy, runs the tool with a time limit, converts the result to JSON, and
 * checks it against the tool's output schema. It never throws: a failure is returned to the caller of
 * the tool. The details of a failure of the host itself go only to the host's listeners. A call is
 * refused before that if its frame cannot be used, its program has ended, or the model was not
 * offered its tool.
 */
export async function invokeTool(
  tools: ToolLookup,
  invocation: ToolInvocation,
): Promise<ToolOutcome> {
  try {
    return await invoke(tools, invocation);
  } catch (error) {
    const hostMessage = shorten(messageOf(error));
    return { ...failed('HostError', 'the host could not carry out the call'), hostMessage };
  }
}

async function invoke(tools: ToolLookup, invocation: ToolInvocation): Promise<ToolOutcome> {
  const tool = tools.get(invocation.toolName);
  if (tool === undefined) return failed('UnknownTool', 'no tool has this name, or it was removed');
  if (!tool.allowedCallers.includes(invocation.caller)) {
    return failed('NotAllowed', `this tool cannot be called ${CALLER_PHRASE[invocation.caller]}`);
  }
  const { policy } = invocation;
  const admission =
    policy === undefined ? validate(tool, invocation) : await admitCall(policy, tool, invocation);
  if (!admission.passed) return failed(admission.type, admission.message);
  const ready = untilReady(invocation);
  if (ready !== undefined) await ready;
  // Its tool will not run, so no log may say that it could have.
  if (isAbandoned(invocation)) return failed('Cancelled', CALL_NOT_AWAITED);
  return logged(invocation, async () => resultOf(tool, admission.value, invocation));
}

/** Whether the program that made a call has ended or no longer waits for it. */
function isAbandoned({ signal, callId, openCalls }: ToolInvocation): boolean {
  return signal.aborted || openCalls?.isGivenUp(callId) === true;
}

/** Records a call before its tool runs, and its outcome before the caller gets it. */
async function logged(
  invocation: ToolInvocation,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { log, signal, toolName, callId, caller } = invocation;
  if (log === undefined) return run();
  const argumentsText = JSON.stringify(invocation.arguments);
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
  if (isLoopTurnFull()) await ownLoopTurn(invocation.origin.tenant);
  let text: string;
  try {
    text = toJsonText(outcome.value);
  } catch (error) {
    return failedInTool(tool, 'InvalidResult', error);
  }
  countLoopWork(text.length);
  if (tool.validateResult !== undefined && isLoopTurnFull()) {
    await ownLoopTurn(invocation.origin.tenant);
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

type ToolRunOutcome = { readonly ok: true; readonly value: unknown } | FailedCall;

/**
 * Runs the tool and stops waiting at its time limit, whether or not the tool obeys its signal. A
 * late result is dropped. A call that its program gave up stays open until its tool ends or its
 * time limit is reached. Otherwise, a program that gives up each call could have any number of them
 * running at a time.
 */
async function runWithDeadline(
  tool: Tool,
  input: unknown,
  invocation: ToolInvocation,
): Promise<ToolRunOutcome> {
  const { signal, callId, caller, openCalls } = invocation;
  const callingUnit = caller === 'code' ? 'program' : 'run';
  return new Promise((resolve) => {
    const deadline = new CallDeadline(tool, (reason) => stop('Timeout', reason));
    const { context, abort, close } = openCall(invocation, () => deadline.move());
    let givenUp: FailedCall | undefined;
    const stop = (type: string, message: string): void => {
      settle(failed(type, message));
      abort(new Error(message));
    };
    const onAbort = (): void =>
      stop('Cancelled', `the ${callingUnit} that made this call has ended`);
    const onGivenUp = (): void => {
      const message = 'the program no longer waits for this call';
      givenUp = failed('Cancelled', message);
      abort(new Error(message));
    };
    const settle = (outcome: ToolRunOutcome): void => {
      deadline.end();
      close();
      signal.removeEventListener('abort', onAbort);
      openCalls?.leave(callId);
      resolve(givenUp ?? outcome);
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    openCalls?.enter(callId, onGivenUp);
    // It was given up before its tool started.
    if (givenUp !== undefined) return settle(givenUp);
    runTool(tool, input, context).then(
      (value) => settle({ ok: true, value }),
      (error: unknown) =>
        settle(failedInTool(tool, error instanceof ToolCallFailure ? error.type : 'Failed', error)),
    );
  });
}

interface OpenCall {
  readonly context: ToolContext & AbortableContext;
  readonly abort: (reason: Error) => void;
  /** Its tool has ended, or is not waited for. */
  readonly close: () => void;
}

/**
 * The signal is created when the tool asks for it: most tools never do, and it costs more than
 * everything else here.
 */
function openCall(
  { caller, callId, origin, files, onProgress }: ToolInvocation,
  onMove: () => void,
): OpenCall {
  let controller: AbortController | undefined;
  let abortReason: Error | undefined;
  let listener: ((reason: unknown) => void) | undefined;
  let reports: ProgressReports | undefined;
  let isClosed = false;
  return {
    context: {
      caller,
      callId,
      ...origin,
      files,
      progress: (report) => {
        if (isClosed) return;
        reports ??= new ProgressReports((progress) => onProgress?.(progress));
        reports.add(report);
        onMove();
      },
      [ON_CALL_ABORT]: (given) => {
        if (abortReason === undefined) listener = given;
        else given(abortReason);
        return () => void (listener = undefined);
      },
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
      isClosed = true;
      controller?.abort(reason);
      listener?.(reason);
    },
    close() {
      isClosed = true;
      reports?.end();
    },
  };
}

/** Async, so that a tool that throws synchronously fails like one that rejects. */
async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  // The value comes from the tool's own validation, so it has the type that its `run` expects. The
  // context was checked by the types of the call that runs the program.
  return tool.run(input as never, context as ToolContext<never>);
}

/** The longest message of a failure, in characters: some contain a whole web page. */
const MAX_MESSAGE_LENGTH = 10_000;

function failed(type: string, message: string): FailedCall {
  return {
    ok: false,
    failure: { type, message: shorten(message) || 'it failed without a message' },
  };
}

/**
 * Of an error that a tool throws, only the message goes to the caller: no stack, no cause, no other
 * field.
 */
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
