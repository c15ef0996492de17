import { randomUUID } from 'node:crypto';
import type { HeldProgram, HeldOutput, OutputCursor } from '../../execution/held/held-program.ts';
import { inBackground } from '../../shared/async/background.ts';
import { onAbort } from '../../shared/async/on-abort.ts';
import type { CodeRun, StartedRun } from '../code/code-run.ts';
import type { ProgramCall } from '../code/program-call.ts';
import { errorSummary } from '../events/error-summary.ts';
import type { LatestLog } from './latest-log.ts';
import type { ReportWatch } from './report-watch.ts';

const START: OutputCursor = { stdout: 0, stderr: 0 };

/** One program that may outlast the model's call that started it. */
export class LongProgram {
  /** So random that a model does not confuse it with a program of another process. */
  readonly id: string = randomUUID().slice(0, 8);
  readonly call: ProgramCall;
  readonly log: LatestLog;
  readonly run: StartedRun;
  readonly #reports: ReportWatch;
  /** How much of its output the model has. */
  #seen: OutputCursor = START;
  #hasEnded = false;
  #isTold = false;
  readonly #program: HeldProgram;
  readonly #started: number = performance.now();

  constructor(call: ProgramCall, log: LatestLog, run: StartedRun, reports: ReportWatch) {
    this.call = call;
    this.log = log;
    this.run = run;
    this.#reports = reports;
    this.#program = run.program;
    const onEnd = (): void => {
      this.#hasEnded = true;
    };
    run.ended.then(onEnd, onEnd);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get durationMs(): number {
    return performance.now() - this.#started;
  }

  /** How much of its output the model had before the last look. */
  get seen(): OutputCursor {
    return this.#seen;
  }

  /**
   * Waits for its end or for its next report, at most this long. A signal that fires stops the
   * program, and its end is waited for then.
   */
  async waitFor(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { ended } = this.run;
    let timer: NodeJS.Timeout | undefined;
    let stopping: Promise<unknown> | undefined;
    let stopListening = (): void => {};
    await new Promise<void>((resolve) => {
      ended.then(
        () => resolve(),
        () => resolve(),
      );
      timer = setTimeout(resolve, waitMs);
      this.#reports.listen(resolve);
      if (this.#reports.isDue) resolve();
      const stop = (): void => {
        stopping = this.stop();
        resolve();
      };
      if (signal?.aborted === true) stop();
      else if (signal !== undefined) stopListening = onAbort(signal, stop);
    });
    clearTimeout(timer);
    stopListening();
    await stopping;
  }

  /** Its output since the last look. */
  look(): HeldOutput {
    const output = this.#program.output({ since: this.#seen });
    this.#seen = output.cursor;
    this.#reports.took();
    return output;
  }

  /** Stops it, unless it has ended, and returns when it has ended in any way. Never throws. */
  async stop(): Promise<void> {
    await Promise.allSettled([this.#program.cancel(), this.run.ended]);
  }

  /** Whether its listener is told of its end when it comes. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Tells its listener of its end when it comes: maybe no call of the model waits for it then. */
  tellEnd(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    inBackground(this.#tellEnd());
  }

  async #tellEnd(): Promise<void> {
    const { listener, hint } = this.call;
    try {
      const { result } = await this.run.ended;
      const told = hint.text === undefined ? result : { ...result, hint: hint.text };
      listener.tell({ type: 'program-ended', result: told, error: undefined });
    } catch (error) {
      listener.tell({ type: 'program-ended', result: undefined, error: errorSummary(error) });
    }
  }

  /** @throws PtcError as `Session.execute`. */
  async result(): Promise<CodeRun> {
    const run = await this.run.ended;
    return { ...run, hint: this.call.hint.text, seen: this.#seen };
  }
}
