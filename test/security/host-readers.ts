import { createColors } from 'picocolors';
import { RunView } from '../../src/cli/view/run-view.ts';
import type { ExecutionEvent, ExecutionResult } from '../../src/execution/execution.ts';
import { CallRecord } from '../../src/orchestrator/call-record.ts';
import { deferredText } from '../../src/orchestrator/calls/deferred-text.ts';
import { ResultTexts } from '../../src/orchestrator/long-text/result-texts.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import type { Session } from '../../src/sessions/executor.ts';

/** What a terminal must not be sent: whatever moves its cursor, sets its title or turns its text. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/u;

/** Who hears of a run on the host: a person at a terminal, and a model. */
export class HostReaders {
  readonly #view: RunView;
  readonly #texts: ResultTexts = new ResultTexts({
    executor: { limits: DEFAULT_LIMITS },
    session: { useOpen: async (use) => use(undefined) },
  });
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
      if (event.type === 'output-delta' || event.type === 'program-reported')
        this.#view.show({ ...event, toolUseId });
      else this.#view.show({ ...event, toolUseId, caller: 'code' });
    } catch (error) {
      // Of a listener that throws, the run would say nothing.
      this.faults.push(String(error));
    }
  }

  /**
   * A run's end. The model is told of it, and long output is kept in the session, whatever the
   * program has made of its files. What came of its deferred calls is told last.
   */
  async read(result: ExecutionResult, session: Session): Promise<void> {
    this.#view.show({ type: 'program-ended', toolUseId: '1', result, error: undefined });
    const { text } = await this.#texts.ofProgram(
      { result, stateWasLost: false, inputProblems: [] },
      new CallRecord(),
      result.sessionOpen ? session : undefined,
      undefined,
    );
    // Below all that the program printed, however much that is and whatever it says. Of a program that was stopped, more is told.
    const endedByItself = result.status === 'ok' || result.status === 'error';
    if (endedByItself && !text.endsWith(deferredText(result.deferred ?? []))) {
      this.faults.push(`the model reads at the end ${JSON.stringify(text.slice(-200))}`);
    }
  }
}
