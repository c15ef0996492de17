import { Permit, type Semaphore } from '../../shared/async/semaphore.ts';

/**
 * The permit of a call that arrives. The call releases it when it begins to wait for a person or for a
 * remote answer, or has ended.
 */
export class ArrivingPermit extends Permit {
  readonly #onArrived: () => void;

  constructor(semaphore: Semaphore, onArrived: () => void) {
    super(semaphore);
    this.#onArrived = onArrived;
  }

  override release(): void {
    super.release();
    this.#onArrived();
  }
}
