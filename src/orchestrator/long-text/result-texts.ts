import type { Executor, Session } from '../../sessions/executor.ts';
import { checkCount } from '../../shared/options/option-values.ts';
import type { CallRecord } from '../call-record.ts';
import { LEAST_RESULT_BYTES } from '../code/code-tool-definition.ts';
import type { ProgramAnswer } from '../code/code-answer.ts';
import type { CodeRun } from '../code/code-run.ts';
import type { CodeSession } from '../code/code-session.ts';
import { describeResult } from '../code/describe-result.ts';
import { describeYielded, type YieldedProgram } from '../long-programs/describe-yielded.ts';
import { keepText, problemOf, type KeptText, type NotKept } from './kept-text.ts';
import { fitText } from './long-text.ts';

export interface ResultTextsOptions {
  readonly executor: Pick<Executor, 'limits'>;
  readonly session: Pick<CodeSession, 'useOpen'>;
  /** How much text of one result the model gets. @default 50000 */
  readonly maxResultBytes?: number | undefined;
}

/** The texts of results as the model gets them. What is too long is kept in the session. */
export class ResultTexts {
  readonly #storageBytes: number;
  readonly #session: Pick<CodeSession, 'useOpen'>;
  readonly #maxBytes: number;

  /** @throws PtcError `OPTION_INVALID`. */
  constructor({ executor, session, maxResultBytes = 50_000 }: ResultTextsOptions) {
    checkCount('maxResultBytes', maxResultBytes, LEAST_RESULT_BYTES);
    this.#storageBytes = executor.limits.temporaryStorageBytes;
    this.#session = session;
    this.#maxBytes = maxResultBytes;
  }

  /**
   * The answer with the result of a program.
   * @param session - Where it ran, if that is still open.
   * @param wanted - How much of the result the model wants. @default all that it can get
   */
  async ofProgram(
    run: CodeRun,
    record: CallRecord,
    session: Session | undefined,
    signal: AbortSignal | undefined,
    wanted: number = this.#maxBytes,
  ): Promise<ProgramAnswer> {
    const keep = async (text: string): Promise<KeptText | NotKept> =>
      session === undefined
        ? { problem: 'the session has ended' }
        : this.#keep(session, text, signal);
    return describeResult(run, record, this.#bytesFor(wanted), keep);
  }

  /**
   * The answer with the result of a program whose session may have been released since.
   * @param wanted - As for `ofProgram`.
   */
  async ofLongProgram(
    run: CodeRun,
    record: CallRecord,
    signal: AbortSignal | undefined,
    wanted: number = this.#maxBytes,
  ): Promise<ProgramAnswer> {
    const keep = async (text: string) => this.#keepIfOpen(text, signal);
    return describeResult(run, record, this.#bytesFor(wanted), keep);
  }

  /**
   * The text about a program that still runs. Never throws.
   * @param wanted - As for `ofProgram`.
   */
  async ofRunning(
    program: YieldedProgram,
    signal: AbortSignal | undefined,
    wanted: number = this.#maxBytes,
  ): Promise<string> {
    const keep = async (text: string) => this.#keepIfOpen(text, signal);
    return describeYielded(program, this.#bytesFor(wanted), keep);
  }

  /** The text of a result that no program gets, such as that of a direct call. Never throws. */
  async ofTool(text: string, signal: AbortSignal | undefined): Promise<string> {
    const keep = async (whole: string) => this.#keepIfOpen(whole, signal);
    const result = {
      text,
      what: 'result',
      isIncomplete: false,
      besideBytes: 0,
      advice: 'ask for less at once',
      keep,
    } as const;
    return (await fitText(result, this.#maxBytes)).text;
  }

  /** How much text the model gets if it wants this much. */
  #bytesFor(wanted: number): number {
    return Math.min(this.#maxBytes, Math.max(wanted, LEAST_RESULT_BYTES));
  }

  async #keepIfOpen(text: string, signal: AbortSignal | undefined): Promise<KeptText | NotKept> {
    try {
      return await this.#session.useOpen(
        async (session) =>
          session === undefined
            ? { problem: 'no session was open in which to keep them' }
            : this.#keep(session, text, signal),
        signal,
      );
    } catch (error) {
      return { problem: problemOf(error) };
    }
  }

  async #keep(
    session: Session,
    text: string,
    signal: AbortSignal | undefined,
  ): Promise<KeptText | NotKept> {
    return keepText(session, text, { storageBytes: this.#storageBytes, signal });
  }
}
