import { explainAborted } from '../../execution/files/file-failure.ts';
import type { Session } from '../../sessions/executor.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { PtcError } from '../../shared/errors.ts';
import type { InputFiles } from '../files/input-files.ts';
import { placeFiles } from '../files/place-files.ts';

interface FileOpeningsOptions {
  /** The files of the conversation, which its programs find in the sandbox. @default none */
  readonly files: InputFiles | undefined;
  /** When it has fired, nothing is opened any more. Its reason says why. @default never */
  readonly closing: AbortSignal | undefined;
  /** Acquires the session. @throws PtcError as `Executor.acquire`. */
  readonly open: (signal: AbortSignal | undefined) => Promise<Session>;
}

/** Opens a session for work on its files, also while a program runs. */
export class FileOpenings {
  readonly #options: FileOpeningsOptions;
  readonly #underWay: Set<Promise<Session>> = new Set();
  #ending: AbortController = new AbortController();

  constructor(options: FileOpeningsOptions) {
    this.#options = options;
  }

  /**
   * The caller releases the session.
   * @throws PtcError as `Executor.acquire`; `ABORTED` if the signal fires; `CLOSED` if `end` is called meanwhile.
   */
  async open(signal: AbortSignal | undefined): Promise<Session> {
    this.#options.closing?.throwIfAborted();
    const { signal: ending } = this.#ending;
    using either = new AnySignal(signal, ending);
    const opening = this.#open(either.signal);
    this.#underWay.add(opening);
    try {
      return await opening;
    } catch (error) {
      if (!ending.aborted || signal?.aborted === true) throw explainAborted(error, signal);
      throw new PtcError('CLOSED', 'The session was closed before its files could be used.', {
        cause: error,
      });
    } finally {
      this.#underWay.delete(opening);
    }
  }

  /** Ends the openings that are under way. One may have opened the session nevertheless. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.#ending = new AbortController();
    await Promise.allSettled(this.#underWay);
  }

  async #open(signal: AbortSignal): Promise<Session> {
    const { files, open } = this.#options;
    const session = await open(signal);
    try {
      await placeFiles(files, session, signal);
      return session;
    } catch (error) {
      await session.release();
      throw error;
    }
  }
}
