import { onAbort } from '../shared/async/on-abort.ts';
import { asError } from '../shared/errors.ts';
import { toJsonText } from '../shared/json/json.ts';
import { onCallAbort, type AbortableContext } from '../tools/call-abort.ts';
import { CallDeadline } from '../tools/limits/call-deadline.ts';
import { isRemote } from '../tools/remote-tool.ts';
import { ToolCallFailure } from '../tools/tool-call-failure.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { OpenCall } from './open-call.ts';
import type { ToolInvocation } from './tool-invocation.ts';
import { failed, failedInTool, type FailedCall } from './tool-outcome.ts';

type ToolRunOutcome = { readonly ok: true; readonly value: unknown } | FailedCall;

/**
 * Runs the tool and stops waiting at its time limit, whether or not the tool obeys its signal. A
 * late result is dropped. A call that its program gave up stays open until its tool ends or its
 * time limit is reached. Otherwise, a program that gives up each call could have any number of them
 * running at a time.
 */
export async function runWithDeadline(
  tool: Tool,
  input: unknown,
  invocation: ToolInvocation,
): Promise<ToolRunOutcome> {
  const { signal, callId, caller, openCalls } = invocation;
  const callingUnit = caller === 'code' ? 'program' : 'run';
  return new Promise((resolve) => {
    const deadline = new CallDeadline(tool, (reason) => stop('Timeout', reason));
    const call = new OpenCall(invocation, () => deadline.move());
    let givenUp: FailedCall | undefined;
    const stop = (type: string, message: string): void => {
      settle(failed(type, message));
      call.abort(new Error(message));
    };
    const onEnd = (): void => stop('Cancelled', `the ${callingUnit} that made this call has ended`);
    const onGivenUp = (): void => {
      const message = 'the program no longer waits for this call';
      givenUp = failed('Cancelled', message);
      call.abort(new Error(message));
    };
    const settle = (outcome: ToolRunOutcome): void => {
      deadline.end();
      call.close();
      stopListening();
      openCalls?.leave(callId);
      resolve(givenUp ?? outcome);
    };
    const stopListening = onAbort(signal, onEnd);
    if (signal.aborted) return onEnd();
    openCalls?.enter(callId, onGivenUp);
    // It was given up before its tool started.
    if (givenUp !== undefined) return settle(givenUp);
    const work = isRemote(tool)
      ? askRemote(tool, input, invocation, call.context)
      : runTool(tool, input, call.context);
    work.then(
      (value) => settle({ ok: true, value }),
      (error: unknown) =>
        settle(failedInTool(tool, error instanceof ToolCallFailure ? error.type : 'Failed', error)),
    );
  });
}

/** Async, so that a tool that throws synchronously fails like one that rejects. */
async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  // The value comes from the tool's own validation, so it has the type that its `run` expects. The
  // context was checked by the types of the call that runs the program.
  return tool.run(input as never, context as ToolContext<never>);
}

/** Asks for the answer to a call of a remote tool, until nothing waits for it. Returns JSON text. */
async function askRemote(
  { name, timeoutMs }: Tool,
  input: unknown,
  { callId, remote, storage, permit }: ToolInvocation,
  context: ToolContext & AbortableContext,
): Promise<unknown> {
  const argumentsText = toJsonText(input, 'arguments');
  storage?.pack();
  return new Promise((resolve, reject) => {
    onCallAbort(context, (reason) => {
      remote?.close(callId);
      reject(asError(reason));
    });
    remote?.ask({ callId, toolName: name, argumentsText, timeoutMs }).then(resolve, reject);
    // Other calls continue meanwhile.
    permit?.release();
  });
}
