import { PtcError } from '../../shared/errors.ts';
import {
  type CountedBudget,
  type ExecutionBudgets,
  overBudget,
  type StopCause,
} from './execution-budgets.ts';

/** What one program has used of its budgets. */
export class BudgetUse {
  readonly #budgets: ExecutionBudgets;
  readonly #stop: (cause: StopCause) => void;
  readonly #used: Record<CountedBudget, number> = {
    toolCalls: 0,
    receivedBytes: 0,
    sentBytes: 0,
    validationMs: 0,
  };

  /** @param stop - Stops the program. Called each time that more than a budget is used. */
  constructor(budgets: ExecutionBudgets, stop: (cause: StopCause) => void) {
    this.#budgets = budgets;
    this.#stop = stop;
  }

  /** Returns why the program was stopped, if this exceeds the budget. */
  add(budget: CountedBudget, amount: number): StopCause | undefined {
    this.#used[budget] += amount;
    const limit = this.#budgets[budget];
    if (this.#used[budget] <= limit) return undefined;
    const cause = overBudget(budget, limit);
    this.#stop(cause);
    return cause;
  }

  /**
   * Adds what a runner sent, which can continue although its program was stopped.
   * @throws PtcError `SANDBOX_LOST` at twice the budget.
   */
  receive(budget: 'toolCalls' | 'receivedBytes', amount: number): void {
    const cause = this.add(budget, amount);
    if (cause !== undefined && this.#used[budget] > 2 * this.#budgets[budget]) {
      throw new PtcError('SANDBOX_LOST', cause.message);
    }
  }
}
