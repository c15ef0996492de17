import type { ExecutionEvent } from '../../execution/execution.ts';

/** Notices that a program calls `report`: the model gets its output at once. */
export class ReportWatch {
  #isDue = false;
  #onReport: () => void = () => {};

  /** Whether it has called it since `took`. */
  get isDue(): boolean {
    return this.#isDue;
  }

  see(event: ExecutionEvent): void {
    if (event.type !== 'program-reported') return;
    this.#isDue = true;
    this.#onReport();
  }

  /** The model gets all output so far. */
  took(): void {
    this.#isDue = false;
  }

  /** Calls a function, the only one, when the program calls `report`. */
  listen(onReport: () => void): void {
    this.#onReport = onReport;
  }
}
