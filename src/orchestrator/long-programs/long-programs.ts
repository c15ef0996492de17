import type { CallLog } from '../../calls/call-log.ts';
import type { ExecutionEvent } from '../../execution/execution.ts';
import { inBackground } from '../../shared/async/background.ts';
import { ProgramQueue } from '../../sessions/program-queue.ts';
import { readFields, readSize } from '../code/code-tool-definition.ts';
import { refusedAnswer, type CodeAnswer } from '../code/code-answer.ts';
import type { CodeSession } from '../code/code-session.ts';
import type { ProgramCall } from '../code/program-call.ts';
import type { ResultTexts } from '../long-text/result-texts.ts';
import { errorSummary } from '../events/error-summary.ts';
import { LatestLog } from './latest-log.ts';
import { LongProgram } from './long-program.ts';
import { readProgramInput } from './program-input.ts';
import { ReportWatch } from './report-watch.ts';

export interface LongProgramsOptions {
  /** How long a call of the model waits for its program. */
  readonly yieldAfterMs: number;
  readonly session: Pick<CodeSession, 'start' | 'hold'>;
  readonly texts: Pick<ResultTexts, 'ofLongProgram' | 'ofRunning'>;
}

/** A call of the model, as the program that it starts or goes on with needs it. */
export interface LongCall {
  readonly signal?: AbortSignal | undefined;
  readonly callLog?: CallLog | undefined;
  /** How much of the result the model wants. */
  readonly maxBytes: number | undefined;
}

/**
 * The programs of a conversation that may outlast the model's calls that started them. There is one
 * at a time: another one begins when the model has read how the one before it ended.
 */
export class LongPrograms {
  readonly #options: LongProgramsOptions;
  /** One call of the model after another. */
  readonly #calls: ProgramQueue = new ProgramQueue();
  /** It runs, or the model has not read its end. */
  #program: LongProgram | undefined;

  constructor(options: LongProgramsOptions) {
    this.#options = options;
  }

  /**
   * Runs a program until it ends or its time to be waited for is over.
   * @throws PtcError as `CodeSession.execute`.
   */
  async run(call: ProgramCall, about: LongCall): Promise<CodeAnswer> {
    return this.#calls.add(async () => {
      if (this.#program !== undefined) return refusedAnswer(refusalOf(this.#program));
      const { code, language, listener } = call;
      listener.tell({ type: 'program-started', language, code });
      try {
        this.#program = await this.#start(call, about);
        return await this.#waitFor(this.#program, this.#options.yieldAfterMs, about);
      } catch (error) {
        this.#program = undefined;
        listener.tell({ type: 'program-ended', result: undefined, error: errorSummary(error) });
        throw error;
      }
    }, about.signal);
  }

  /**
   * Answers a call of the model about a program that an earlier call started.
   * @returns undefined if the call is not about one.
   */
  goOn(input: unknown, call: Omit<LongCall, 'maxBytes'>): Promise<CodeAnswer> | undefined {
    const fields = readFields(input);
    const read = fields && readProgramInput(fields);
    if (fields === undefined || read === undefined) return undefined;
    return this.#goOn(read, readSize(fields), call);
  }

  /** @throws PtcError as `CodeSession.execute`, if the program ended so. */
  async #goOn(
    read: ReturnType<typeof readProgramInput> & {},
    size: ReturnType<typeof readSize>,
    { signal, callLog }: Omit<LongCall, 'maxBytes'>,
  ): Promise<CodeAnswer> {
    if ('problem' in read) return refusedAnswer(read.problem);
    if ('problem' in size) return refusedAnswer(size.problem);
    const { program: id, waitMs = this.#options.yieldAfterMs, stop } = read;
    const work = async (): Promise<CodeAnswer> => {
      const program = this.#program;
      if (program?.id !== id) return refusedAnswer(unknownText(id, program));
      program.log.latest = callLog ?? program.log.latest;
      if (stop) await program.stop();
      return this.#waitFor(program, waitMs, { signal, callLog, ...size });
    };
    try {
      return await this.#calls.add(work, signal);
    } catch (error) {
      // It waited for another call about the program, so nothing has stopped the program yet.
      const program = signal?.aborted === true ? this.#program : undefined;
      if (program?.id === id) inBackground(program.stop());
      throw error;
    }
  }

  /** Stops the program that runs, if there is one. The model can still read how it ended. */
  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  /** Stops the program that runs, if there is one. Nobody reads how it ended. */
  async forget(): Promise<void> {
    await this.stop();
    // A call that was under way may have started another one.
    await this.#calls.add(async () => {
      await this.stop();
      this.#program = undefined;
    });
  }

  async #start(call: ProgramCall, { callLog }: LongCall): Promise<LongProgram> {
    const log = new LatestLog(callLog);
    const reports = new ReportWatch();
    const { onEvent } = call.settings;
    const settings = {
      ...call.settings,
      callLog: call.hint.logWith(call.record.logWith(log)),
      onEvent: (event: ExecutionEvent) => {
        reports.see(event);
        return onEvent?.(event);
      },
    };
    const hold = this.#options.session.hold({ onClosed: () => {} });
    try {
      const run = await this.#options.session.start(call.code, settings, (session) =>
        call.listener.tell({ type: 'session-opened', session }),
      );
      inBackground(Promise.allSettled([run.ended]).then(async () => hold.release()));
      return new LongProgram(call, log, run, reports);
    } catch (error) {
      await hold.release();
      throw error;
    }
  }

  async #waitFor(program: LongProgram, waitMs: number, about: LongCall): Promise<CodeAnswer> {
    await program.waitFor(waitMs, about.signal);
    return program.hasEnded ? this.#ended(program, about) : this.#yielded(program, about);
  }

  async #ended(program: LongProgram, { signal, maxBytes }: LongCall): Promise<CodeAnswer> {
    const { listener, record } = program.call;
    try {
      const run = await program.result();
      const answer = await this.#options.texts.ofLongProgram(run, record, signal, maxBytes);
      if (!program.isTold) {
        listener.tell({ type: 'program-ended', result: answer.result, error: undefined });
      }
      return answer;
    } finally {
      if (this.#program === program) this.#program = undefined;
    }
  }

  async #yielded(program: LongProgram, { signal, maxBytes }: LongCall): Promise<CodeAnswer> {
    const { id, durationMs, call } = program;
    const output = program.look();
    const running = { ...output, id, durationMs, openCalls: call.record.runningText };
    call.listener.tell({ type: 'program-yielded', program: id, durationMs });
    program.tellEnd();
    const text = await this.#options.texts.ofRunning(running, signal, maxBytes);
    return { text, images: [], files: [], isError: false, result: undefined, program: id };
  }
}

function refusalOf({ id, hasEnded }: LongProgram): string {
  const call = JSON.stringify({ program: id });
  return hasEnded
    ? `Program ${id} has ended, and you have not read how. Read it with ${call}, then send this program again. Nothing was run.`
    : `Program ${id} still runs, and one program runs at a time. Wait for it with ${call}, or stop it with ${JSON.stringify({ program: id, stop: true })}, then send this program again. Nothing was run.`;
}

function unknownText(id: string, { id: other }: Partial<Pick<LongProgram, 'id'>> = {}): string {
  const named = JSON.stringify(id.slice(0, 100));
  const instead = other === undefined ? '' : ` The program that you can go on with is ${other}.`;
  return `There is no program ${named}: you have read its end, or it was stopped with its conversation or process. If you have not read its end, nobody knows what it did after its last result: look before you do it again.${instead} Nothing was run.`;
}
