import { untilAborted } from '../shared/abort.ts';
import { Place } from '../shared/places.ts';
import { NOBODY_WAITS } from '../tools/approval.ts';
import type { CallGate, GateResult } from '../tools/policy-gate.ts';
import type { Tool, Validation } from '../tools/tool.ts';
import type { ToolInvocation } from './tool-invocation.ts';

/** Whether a call may run its tool, and with which arguments. */
export type Admission =
  | GateResult
  | { readonly passed: false; readonly type: 'InvalidArguments'; readonly message: string };

/** The approver is to be asked, and has as many requests of the run as it may have. */
interface Later {
  readonly passed: undefined;
  /** Gives false if nobody waits for the call any more. */
  readonly turn: Promise<boolean>;
}

/**
 * Checks a call by its tool's schema and by the policy, and asks the approver if a rule says so. That comes before the
 * tool's deadline, since people may have to decide. The call has its place again if it passed.
 */
export async function admitCall(
  policy: CallGate,
  tool: Tool,
  invocation: ToolInvocation,
): Promise<Admission> {
  const { held } = invocation;
  const awaited = new Awaited(invocation);
  const approval = new Place(policy.approvals);
  try {
    const first = await pass(policy, tool, invocation, approval, awaited);
    if (first.passed !== undefined) return first;
    // Nothing refers to its arguments any more, so that they take no memory while people decide.
    held?.pack();
    if (!(await first.turn)) return NOT_AWAITED;
    await held?.unpack();
    const second = await pass(policy, tool, invocation, approval, awaited);
    return second.passed === undefined ? NOT_AWAITED : second;
  } finally {
    approval.leave();
    awaited.end();
  }
}

/** Whether somebody waits for a call. Its signal is made when it is asked for: most calls are decided at once. */
class Awaited {
  readonly #invocation: ToolInvocation;
  #controller: AbortController | undefined;

  constructor(invocation: ToolInvocation) {
    this.#invocation = invocation;
  }

  /** Fires if the call's run ends, or its program gives it up. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { signal, callId, openCalls } = this.#invocation;
      signal.addEventListener('abort', this.#abort);
      openCalls?.enter(callId, this.#abort);
      if (signal.aborted) this.#abort();
    }
    return this.#controller.signal;
  }

  end(): void {
    if (this.#controller === undefined) return;
    const { signal, callId, openCalls } = this.#invocation;
    signal.removeEventListener('abort', this.#abort);
    openCalls?.leave(callId);
  }

  readonly #abort = (): void => this.#controller?.abort(this.#invocation.signal.reason);
}

const NOT_AWAITED: Admission = { passed: false, type: 'Cancelled', message: NOBODY_WAITS };

/** Checks it, and asks the approver if it has its place there or there is one. */
async function pass(
  policy: CallGate,
  tool: Tool,
  invocation: ToolInvocation,
  approval: Place,
  awaited: Awaited,
): Promise<Admission | Later> {
  const { toolName, caller, callId, place, onDecision } = invocation;
  const { sessionId, labels } = invocation.origin;
  const sent = invocation.arguments;
  const input = validate(tool, invocation);
  if (!input.passed) return input;
  const call = { toolName, arguments: input.value, caller, callId, sessionId, labels };
  const request = { tool, call, sent, onDecision };
  const verdict = policy.judge(request);
  if (verdict.passed !== undefined) return verdict;
  // Other calls go on meanwhile.
  place?.leave();
  const turn = approval.take(awaited.signal);
  if (turn !== undefined) return { passed: undefined, turn };
  const result = await policy.ask(request, verdict, awaited.signal);
  // It leaves its place before the approver only then: else any number of decided calls could wait.
  await untilReady(invocation);
  if (result.passed) await place?.take();
  return result;
}

/** Checks it by its tool's schema alone. */
export function validate(tool: Tool, invocation: ToolInvocation): Admission {
  const input = timedCheck(tool, invocation);
  return input.valid
    ? { passed: true, value: input.value }
    : { passed: false, type: 'InvalidArguments', message: input.message };
}

function timedCheck(tool: Tool, invocation: ToolInvocation): Validation {
  const { arguments: sent, onValidated, held } = invocation;
  if (onValidated === undefined) return tool.validateInput(sent);
  // Asking for it takes longer than checking a short call, which is hardly ever interrupted.
  const processorBefore = held?.isShort === true ? undefined : process.cpuUsage();
  const began = performance.now();
  const input = tool.validateInput(sent);
  const durationMs = performance.now() - began;
  onValidated(
    processorBefore ? Math.min(durationMs, processorMsSince(processorBefore)) : durationMs,
  );
  return input;
}

/** Without the time in which a busy machine did not let the host run. Other threads may use the processor meanwhile. */
function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Waits for what the tool waits for, such as room in the audit log, or no longer than its caller does. */
export function untilReady({ ready, signal }: ToolInvocation): Promise<void> | undefined {
  const room = ready?.();
  return room === undefined ? undefined : untilAborted(room, signal);
}
