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
  readonly options: ProgramCallsOptions;
  readonly limits: CallLimits;
  readonly counter: CallCounter;
  /** How long results were checked only to warn. */
  #warningMs = 0;

  constructor(options: ProgramCallsOptions, limits: CallLimits) {
    this.options = options;
    this.limits = limits;
    this.counter = CallCounter.ofProgram(options.origin);
  }

  /** For a call while its program runs, which is stopped if the checks of its calls take too long. */
  ofProgram(call: ReceivedCall, one: OneCall): ToolInvocation {
    return new ProgramInvocation(call, one, this, this.#onChecked);
  }

  /** For a call that its program deferred, and that has ended. */
  ofDeferred(call: ReceivedCall, signal: AbortSignal): ToolInvocation {
    return new ProgramInvocation(call, { signal }, this, () => {});
  }

  readonly ready = (): Promise<unknown> | undefined => this.options.recorder.ready();

  /** Once the program is stopped, its further calls are refused without a check. */
  readonly #onChecked = (durationMs: number): void => {
    this.options.used.add('validationMs', durationMs);
  };

  /** Checks that only warn do not stop a program. They stop themselves. */
  get checkResults(): CheckLevel {
    const { checkResults, budgets } = this.options;
    return checkResults === 'warn' && this.#warningMs > budgets.validationMs ? 'off' : checkResults;
  }

  onResultChecked(durationMs: number, onChecked: (durationMs: number) => void): void {
    if (this.options.checkResults === 'warn') this.#warningMs += durationMs;
    else onChecked(durationMs);
  }

  onDecision(made: CallDecision, { line }: ReceivedCall): void {
    this.options.onDecision(made);
    this.options.recorder.decided(made, line);
  }
}

/**
 * A class, because its accessors are shared: an object with accessors of its own takes V8 as long as
 * the rest of a short call.
 */
class ProgramInvocation implements ToolInvocation {
  readonly caller = 'code';
  readonly toolName: string;
  readonly callId: string;
  readonly line: number | undefined;
  readonly storage: ReceivedCall;
  readonly signal: AbortSignal;
  readonly permit: ToolInvocation['permit'];
  readonly openCalls: ToolInvocation['openCalls'];
  readonly deferrals: ToolInvocation['deferrals'];
  readonly remote: ToolInvocation['remote'];
  readonly onAdmitted: ToolInvocation['onAdmitted'];
  readonly origin: ToolInvocation['origin'];
  readonly files: ToolInvocation['files'];
  readonly log: ToolInvocation['log'];
  readonly policy: ToolInvocation['policy'];
  readonly counter: CallCounter;
  readonly limits: CallLimits;
  readonly ready: ToolInvocation['ready'];
  readonly onValidated: (durationMs: number) => void;
  readonly onResultChecked: (durationMs: number) => void;
  readonly onDecision: (made: CallDecision) => void;
  readonly onProgress: ToolInvocation['onProgress'];
  readonly #program: ProgramInvocations;

  constructor(
    call: ReceivedCall,
    { signal, permit, openCalls, deferrals, remote, onAdmitted }: OneCall,
    program: ProgramInvocations,
    onChecked: (durationMs: number) => void,
  ) {
    const { origin, files, callLog, policy, recorder } = program.options;
    this.toolName = call.toolName;
    this.callId = call.callId;
    this.line = call.line;
    this.storage = call;
    this.signal = signal;
    this.permit = permit;
    this.openCalls = openCalls;
    this.deferrals = deferrals;
    this.remote = remote;
    this.onAdmitted = onAdmitted;
    this.origin = origin;
    this.files = files;
    this.log = callLog;
    this.policy = policy;
    this.counter = program.counter;
    this.limits = program.limits;
    this.ready = program.ready;
    this.onValidated = onChecked;
    this.onResultChecked = (durationMs) => program.onResultChecked(durationMs, onChecked);
    this.onDecision = (made) => program.onDecision(made, call);
    this.onProgress = (progress) => recorder.progressed(call, progress);
    this.#program = program;
  }

  get arguments(): unknown {
    return this.storage.arguments;
  }

  get checkResults(): CheckLevel {
    return this.#program.checkResults;
  }
}
