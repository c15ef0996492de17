import type { ToolInvocation } from '../calls/tool-invocation.ts';
import type { CallLimits } from '../protocol/frames.ts';
import { CallCounter } from '../calls/limits/call-counter.ts';
import type { CheckLevel } from '../tools/tool.ts';
import type { CallDecision } from '../tools/policy/call-gate.ts';
import type { ProgramCallsOptions } from './program-calls-options.ts';
import type { ReceivedCall } from './received-call.ts';

/** What differs between the calls of a program, and between its calls and those that it deferred. */
type OneCall = Pick<
  ToolInvocation,
  'signal' | 'permit' | 'openCalls' | 'deferrals' | 'remote' | 'onAdmitted'
>;

/** What the calls of one program need to be carried out. */
export class ProgramInvocations {
  readonly #options: ProgramCallsOptions;
  readonly #limits: CallLimits;
  readonly #counter: CallCounter;
  /** How long results were checked only to warn. */
  #warningMs = 0;

  constructor(options: ProgramCallsOptions, limits: CallLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#counter = CallCounter.ofProgram(options.origin);
  }

  /** For a call while its program runs, which is stopped if the checks of its calls take too long. */
  ofProgram(call: ReceivedCall, one: OneCall): ToolInvocation {
    return this.#of(call, one, this.#onChecked);
  }

  /** For a call that its program deferred, and that has ended. */
  ofDeferred(call: ReceivedCall, signal: AbortSignal): ToolInvocation {
    return this.#of(call, { signal }, () => {});
  }

  #of(call: ReceivedCall, one: OneCall, onChecked: (durationMs: number) => void): ToolInvocation {
    const { origin, files, policy, recorder, callLog } = this.#options;
    const { signal, permit, openCalls, deferrals, remote, onAdmitted } = one;
    const checkResults = (): CheckLevel => this.#checkResults();
    // With a spread beside its getters, V8 makes the object a dictionary, which takes half of the time of a call.
    return {
      toolName: call.toolName,
      get arguments() {
        return call.arguments;
      },
      caller: call.caller,
      callId: call.callId,
      line: call.line,
      origin,
      counter: this.#counter,
      files,
      limits: this.#limits,
      signal,
      permit,
      openCalls,
      deferrals,
      remote,
      onAdmitted,
      storage: call,
      ready: () => recorder.ready(),
      log: callLog,
      policy,
      onDecision: (decision) => this.#onDecision(decision, call),
      onValidated: onChecked,
      get checkResults() {
        return checkResults();
      },
      onResultChecked: (durationMs) => this.#onResultChecked(durationMs, onChecked),
      onProgress: (progress) => recorder.progressed(call, progress),
    };
  }

  /** Once the program is stopped, its further calls are refused without a check. */
  readonly #onChecked = (durationMs: number): void => {
    this.#options.used.add('validationMs', durationMs);
  };

  /** Checks that only warn do not stop a program. They stop themselves. */
  #checkResults(): CheckLevel {
    const { checkResults, budgets } = this.#options;
    return checkResults === 'warn' && this.#warningMs > budgets.validationMs ? 'off' : checkResults;
  }

  #onResultChecked(durationMs: number, onChecked: (durationMs: number) => void): void {
    if (this.#options.checkResults === 'warn') this.#warningMs += durationMs;
    else onChecked(durationMs);
  }

  #onDecision(made: CallDecision, { line }: ReceivedCall): void {
    this.#options.onDecision(made);
    this.#options.recorder.decided(made, line);
  }
}
