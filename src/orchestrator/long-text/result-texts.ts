import type { Executor, Session } from '../../sessions/executor.ts';
import { checkCount } from '../../shared/options/option-values.ts';
import type { CallRecord } from '../call-record.ts';
import type { ProgramAnswer } from '../code/code-answer.ts';
import type { CodeRun, CodeSession } from '../code/code-session.ts';
import { describeResult } from '../code/describe-result.ts';
import { keepText, problemOf, type KeptText, type NotKept } from './kept-text.ts';
import { fitText } from './long-text.ts';

/** The least that a model can be given of a result, in bytes. */
const LEAST_BYTES = 1000;

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
    checkCount('maxResultBytes', maxResultBytes, LEAST_BYTES);
    this.#storageBytes = executor.limits.temporaryStorageBytes;
    this.#session = session;
    this.#maxBytes = maxResultBytes;
  }

  /**
   * The answer with the result of a program.
   * @param session - Where it ran, if that is still open.
   */
  async ofProgram(
    run: CodeRun,
    record: CallRecord,
    session: Session | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ProgramAnswer> {
    const keep = async (text: string): Promise<KeptText | NotKept> =>
      session === undefined
        ? { problem: 'the session has ended' }
        : this.#keep(session, text, signal);
    return describeResult(run, record, this.#maxBytes, keep);
  }

  /** The text of a result that no program gets, such as that of a direct call. Never throws. */
  async ofTool(text: string, signal: AbortSignal | undefined): Promise<string> {
    const keep = async (whole: string): Promise<KeptText | NotKept> => {
      try {
        return await this.#session.useOpen(
          async (session) =>
            session === undefined
              ? { problem: 'no session was open in which to keep them' }
              : this.#keep(session, whole, signal),
          signal,
        );
      } catch (error) {
        return { problem: problemOf(error) };
      }
    };
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

  async #keep(
    session: Session,
    text: string,
    signal: AbortSignal | undefined,
  ): Promise<KeptText | NotKept> {
    return keepText(session, text, { storageBytes: this.#storageBytes, signal });
  }
}
