import { createColors } from 'picocolors';
import { RunView } from '../../src/cli/view/run-view.ts';
import type { ExecutionEvent, ExecutionResult } from '../../src/execution/execution.ts';
import { CallRecord } from '../../src/orchestrator/call-record.ts';
import { describeResult } from '../../src/orchestrator/code/describe-result.ts';

/** What a terminal must not be sent: whatever moves its cursor, sets its title or turns its text. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/u;

/** Who hears of a run on the host: a person at a terminal, and a model. */
export class HostReaders {
  readonly #view: RunView;
  /** What was thrown, and what was shown that a terminal must not be sent. */
  readonly faults: string[] = [];

  constructor() {
    this.#view = new RunView({
      write: (text) => {
        if (CONTROLS.test(text)) this.faults.push(JSON.stringify(text.slice(0, 200)));
      },
      colors: createColors(false),
      columns: () => 80,
    });
  }

  /** An event of a run, as it comes. */
  hear(event: ExecutionEvent): void {
    const toolUseId = 'program';
    try {
      if (event.type === 'output-delta') this.#view.show({ ...event, toolUseId });
      else this.#view.show({ ...event, toolUseId, caller: 'code' });
    } catch (error) {
      // Of a listener that throws, the run would say nothing.
      this.faults.push(String(error));
    }
  }

  /** A run's end. @returns what the model is told. */
  read(result: ExecutionResult): string {
    this.#view.show({ type: 'program-ended', toolUseId: '1', result, error: undefined });
    return describeResult(result, false, new CallRecord());
  }
}
