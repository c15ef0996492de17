import { Deferrals } from '../../calls/deferred/deferrals.ts';
import type { Deferral } from '../../calls/tool-outcome.ts';
import type { ProgramCallsOptions } from '../program-calls-options.ts';
import type { ProgramInvocations } from '../program-invocations.ts';
import type { ReceivedCall } from '../received-call.ts';
import type { DeferredCall } from './deferred-call.ts';
import { settleDeferred, type KeptCall } from './settle-deferred.ts';

/**
 * The calls that one program deferred, which only the host keeps. So a receipt that a program makes up
 * means nothing.
 */
export class DeferredCalls {
  readonly places: Deferrals = new Deferrals();
  readonly #options: ProgramCallsOptions;
  readonly #invocations: ProgramInvocations;
  readonly #kept: KeptCall[] = [];

  constructor(options: ProgramCallsOptions, invocations: ProgramInvocations) {
    this.#options = options;
    this.#invocations = invocations;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Keeps a call without its parsed arguments. */
  add(call: ReceivedCall, deferral: Deferral): void {
    call.pack();
    this.#kept.push({ call, deferral });
  }

  /**
   * Does what is to be done with them when the program has ended. Never throws.
   * @param endedWell - Otherwise they are not made.
   * @param signal - Fires if those that were not made yet must not be made any more.
   */
  async settle(endedWell: boolean, signal: AbortSignal): Promise<readonly DeferredCall[]> {
    const { tools, recorder, policy } = this.#options;
    // Without a policy, none was deferred.
    if (policy === undefined) return [];
    // Of calls that are made at once, a large one is checked after smaller ones, and gets its receipt later.
    const kept = this.#kept.splice(0).toSorted((a, b) => a.call.place - b.call.place);
    return settleDeferred(kept, {
      tools,
      invocations: this.#invocations,
      recorder,
      policy,
      endedWell,
      signal,
    });
  }
}
