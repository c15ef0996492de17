import { Semaphore, type Permit } from '../shared/async/semaphore.ts';
import type { CallGroup } from '../tools/policy/batches/call-group.ts';
import { ArrivingPermit } from './held/arriving-permit.ts';
import type { RemoteCalls } from './held/remote-calls.ts';

export interface CallPermitsOptions {
  readonly concurrentToolCalls: number;
  /** Undefined if nobody answers calls of remote tools. */
  readonly remote: RemoteCalls | undefined;
  /** The calls that are asked together. Undefined if each is asked alone. */
  readonly group: CallGroup | undefined;
}

/**
 * The permits of the calls of one program, which limit how many are handled at a time. They tell those
 * that wait for all calls to be checked when a call is.
 */
export class CallPermits {
  readonly #options: CallPermitsOptions;
  readonly #semaphore: Semaphore;
  /** For the calls of remote tools, which hold a permit only before and after they wait. */
  #remoteSemaphore: Semaphore | undefined;

  constructor(options: CallPermitsOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.concurrentToolCalls);
  }

  /** The permit of a call that was received. The call does not have it yet. */
  of(callId: string, isRemote: boolean): Permit {
    const { concurrentToolCalls, group, remote } = this.#options;
    group?.arrive(callId);
    if (!isRemote || remote === undefined) {
      return new ArrivingPermit(this.#semaphore, () => group?.arrived(callId));
    }
    this.#remoteSemaphore ??= new Semaphore(concurrentToolCalls);
    remote.arrive(callId);
    return new ArrivingPermit(this.#remoteSemaphore, () => {
      remote.arrived(callId);
      group?.arrived(callId);
    });
  }
}
