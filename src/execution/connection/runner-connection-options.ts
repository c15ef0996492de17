import type { ExecutionBudgets } from '../limits/execution-budgets.ts';

export interface RunnerConnectionOptions {
  readonly maxOutputBytes: number;
  readonly showLastValue: boolean;
  readonly budgets: ExecutionBudgets;
  /** How long the runner may take until it is ready. */
  readonly startTimeoutMs: number;
  /**
   * Whether the provider has already sent an attach request, as for a sandbox that may outlive its
   * host.
   * @default false
   */
  readonly attachAsked?: boolean;
}
