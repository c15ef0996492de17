import type { CallLog, LoggedCall } from '../../calls/call-log.ts';
import type { ToolOutcome } from '../../calls/tool-outcome.ts';

/**
 * Records the calls of a program in the log of the model's last call about it: the one that a store
 * reads if the process ends meanwhile.
 */
export class LatestLog implements CallLog {
  latest: CallLog | undefined;

  constructor(first: CallLog | undefined) {
    this.latest = first;
  }

  async deferred(call: LoggedCall): Promise<void> {
    await this.latest?.deferred?.(call);
  }

  async started(call: LoggedCall): Promise<void> {
    await this.latest?.started(call);
  }

  async ended(call: LoggedCall, outcome: ToolOutcome): Promise<void> {
    await this.latest?.ended(call, outcome);
  }
}
