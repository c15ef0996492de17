import { throwIfAborted, unlessAborted } from '../../shared/async/abort.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { PtcError } from '../../shared/errors.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import type { ExecutionResult } from '../execution.ts';
import { CANCELLED } from '../limits/execution-budgets.ts';
import type { ProgramExecution } from '../program-execution.ts';
import { NEXT_OPTIONS, type CallAnswer, type HeldOutput } from './held-program.ts';
import type { HeldProgram, HeldStep, NextOptions, OutputOptions } from './held-program.ts';
import { readOutput } from './read-output.ts';
import { notOpen } from './remote-calls.ts';

const WAIT = 'The wait for the program';

/** A `next` that waits. */
interface WaitingNext {
  /** Settles when there may be something to report. */
  readonly news: Deferred<void>;
  readonly signal: AbortSignal | undefined;
}

/** A program of a session, as its caller holds it. */
export class HeldExecution implements HeldProgram {
  /** Settles when the program has ended. */
  readonly ended: Promise<ExecutionResult>;
  /** Undefined if the program was refused before it ran. */
  readonly #execution: ProgramExecution | undefined;
  #hasEnded = false;
  #waiting: WaitingNext | undefined;
  /** The last news that `next` has reported. */
  #reported = 0;

  constructor(execution: ProgramExecution | undefined, ended: Promise<ExecutionResult>) {
    this.#execution = execution;
    this.ended = ended;
    const onEnd = (): void => {
      this.#hasEnded = true;
      this.#waiting?.news.resolve();
    };
    ended.then(onEnd, onEnd);
    execution?.hold?.listen(() => this.#waiting?.news.resolve());
  }

  get status(): HeldProgram['status'] {
    if (this.#hasEnded) return 'ended';
    return this.#execution?.hold?.isWaiting === true ? 'waiting' : 'running';
  }

  async next(options: NextOptions = {}): Promise<HeldStep> {
    checkOptionNames(options, NEXT_OPTIONS);
    const { signal } = options;
    // One whose signal has just fired is about to end.
    if (this.#waiting !== undefined && this.#waiting.signal?.aborted !== true) throw nextPending();
    let waiting: WaitingNext | undefined;
    try {
      for (;;) {
        throwIfAborted(signal, WAIT);
        if (this.#hasEnded) return { state: 'ended', result: await this.ended };
        const hold = this.#execution?.hold;
        if (hold?.isWaiting === true && hold.news !== this.#reported) {
          this.#reported = hold.news;
          return { state: 'waiting', calls: hold.remote.list };
        }
        waiting = { news: createDeferred(), signal };
        this.#waiting = waiting;
        await unlessAborted(waiting.news.promise, signal, WAIT);
      }
    } finally {
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }

  answer(callId: string, answer: CallAnswer): void {
    const hold = this.#execution?.hold;
    if (hold === undefined) throw notOpen(callId, false);
    hold.remote.answer(callId, answer);
  }

  output(options: OutputOptions = {}): HeldOutput {
    const { stdout, stderr } = this.#execution?.printed ?? { stdout: '', stderr: '' };
    return readOutput({ stdout, stderr }, options);
  }

  async cancel(): Promise<ExecutionResult> {
    this.#execution?.stop(CANCELLED);
    return this.ended;
  }
}

function nextPending(): PtcError {
  const message =
    'Another next() of this program waits. Await it, or end it by its signal, before you call next() again.';
  return new PtcError('NEXT_PENDING', message);
}
