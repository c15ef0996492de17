import { randomUUID } from 'node:crypto';
import type { SessionExecuteOptions } from '../../sessions/options/executor-options.ts';
import type { Labels } from '../../shared/labels.ts';
import type { Executor, Session } from '../../sessions/executor.ts';
import { isSessionGone } from '../../sessions/executor-errors.ts';
import { ProgramQueue } from '../../sessions/program-queue.ts';
import { inBackground } from '../../shared/async/background.ts';
import { assertAnswered } from '../../tools/remote-tool.ts';
import { toolSetOf } from '../../tools/registry/tools-option.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { SessionCloseReason, SessionInfo } from '../../sessions/session/session-info.ts';
import type { InputFiles } from '../files/input-files.ts';
import { placeFiles } from '../files/place-files.ts';
import { startedRun, type CodeRun, type StartedRun } from './code-run.ts';
import { FileOpenings } from './file-openings.ts';
import { isLost, NO_STATE, type ProgramState } from './program-state.ts';

export interface CodeSessionOptions {
  readonly executor: Executor;
  /** The tools that policies of its programs may name. */
  readonly tools: ToolSet;
  /** @default a random one */
  readonly key?: string | undefined;
  /** The labels of the session. @default none */
  readonly labels?: Labels | undefined;
  /** Whether the session outlives this process. @default false */
  readonly persistent?: boolean | undefined;
  /** How long to wait for the session if another process or executor uses it. @default 0 */
  readonly sessionWaitMs?: number | undefined;
  /** What is known about earlier programs, for example of another process. @default none ran */
  readonly state?: ProgramState | undefined;
  /** The files of the conversation, which its programs find in the sandbox. @default none */
  readonly files?: InputFiles | undefined;
  /** When it has fired, the session is not opened for files any more. @default never */
  readonly closing?: AbortSignal | undefined;
}

/** A session that was closed, and the reason. */
export interface ClosedSession {
  readonly sessionId: string;
  readonly reason: SessionCloseReason;
}

/** Prevents eviction of a session. */
export interface SessionHold {
  /** Ends the hold. A session that nobody else holds can be evicted then. */
  release(): Promise<void>;
}

/** Is notified if the session that it holds closes nevertheless. */
interface Hold {
  readonly onClosed: (closed: ClosedSession) => void;
}

/**
 * Runs a conversation's programs in the session of its key. Releases the session after each program
 * unless it is held.
 */
export class CodeSession {
  readonly key: string;
  readonly #options: CodeSessionOptions;
  readonly #queue: ProgramQueue = new ProgramQueue();
  readonly #openings: FileOpenings;
  #session: Session | undefined;
  /** The id of the session that was used last. */
  #sessionId: string | undefined;
  /**
   * What is known about the variables of earlier programs. Writable, because another process may
   * have run later ones.
   */
  state: ProgramState;
  readonly #holds: Set<Hold> = new Set();
  /** The `closing` promise of the session that was used last. */
  #closing: Session['closing'] | undefined;

  /** @throws PtcError `OPTION_INVALID` for remote tools: a model that runs code does not answer them. */
  constructor(options: CodeSessionOptions) {
    assertAnswered(options.tools);
    this.key = options.key ?? randomUUID();
    this.#options = options;
    this.state = options.state ?? NO_STATE;
    const { files, closing } = options;
    this.#openings = new FileOpenings({
      files,
      closing,
      open: async (signal) => this.#open(signal),
    });
  }

  /**
   * Runs a program after those that already wait: the programs of one answer of the model share the
   * session.
   * @param onOpened - Called if a session was opened or taken over for the program.
   * @param finish - Makes the result, before the next program runs. Gets the session if it is open.
   * @throws PtcError as `Executor.acquire` and `Session.execute`.
   */
  async execute<Result>(
    code: string,
    options: SessionExecuteOptions,
    onOpened: (session: SessionInfo) => void,
    finish: (run: CodeRun, session: Session | undefined) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.add(async () => {
      try {
        const run = await this.#inSession(options.signal, onOpened, async (session) =>
          this.#executeIn(session, code, options),
        );
        return await finish(run, run.result.sessionOpen ? this.#session : undefined);
      } finally {
        await this.#releaseUnlessHeld();
      }
    }, options.signal);
  }

  /**
   * Starts a program, and returns it when it has begun. Hold the session until it has ended.
   * @param onOpened - As for `execute`.
   * @throws PtcError as `execute`.
   */
  async start(
    code: string,
    options: SessionExecuteOptions,
    onOpened: (session: SessionInfo) => void,
  ): Promise<StartedRun> {
    if (options.tools !== undefined) assertAnswered(toolSetOf(options.tools));
    return this.#queue.add(
      async () =>
        this.#inSession(options.signal, onOpened, async (session) =>
          this.#startIn(session, code, options),
        ),
      options.signal,
    );
  }

  /**
   * Uses the session after the programs that already wait, if it is open: none is opened for this.
   * @throws PtcError as `Executor.acquire`.
   */
  async useOpen<Result>(
    use: (session: Session | undefined) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    return this.#queue.add(async () => {
      try {
        const isOpen = this.#session !== undefined || (await this.info()) !== undefined;
        if (!isOpen) return await use(undefined);
        return await use(this.#session ?? (await this.#acquire(signal, () => {})));
      } finally {
        await this.#releaseUnlessHeld();
      }
    }, signal);
  }

  /**
   * Acquires the session for work on its files, also while a program runs. The caller releases it.
   * @throws PtcError as `FileOpenings.open`.
   */
  async openForFiles(signal: AbortSignal | undefined): Promise<Session> {
    return this.#openings.open(signal);
  }

  /**
   * Returns information about the session of the key, no matter who opened it; undefined if it
   * has no usable session.
   */
  async info(): Promise<SessionInfo | undefined> {
    return this.#options.executor.sessionInfo({ key: this.key });
  }

  /**
   * Prevents eviction of the session between programs. May be called more than once.
   * @param hold - Its `onClosed` is called if the session that was used last closes, for any reason,
   *   until the hold is released.
   */
  hold(hold: Hold): SessionHold {
    this.#holds.add(hold);
    return {
      release: async () => {
        this.#holds.delete(hold);
        await this.#queue.add(async () => this.#releaseUnlessHeld());
      },
    };
  }

  /**
   * Ends the session of the key, no matter who opened it. The next program gets a new one.
   * @throws PtcError as `Executor.closeSession`. The session is still open then.
   */
  async reset(): Promise<void> {
    const { executor, persistent = false } = this.#options;
    await this.#queue.add(async () => {
      await executor.closeSession({ key: this.key, persistent });
      this.state = NO_STATE;
      await this.#release();
    });
  }

  /** Ends the session in which this object ran programs. */
  async end(): Promise<void> {
    await this.#queue.add(async () => {
      await this.#release();
      await this.#openings.end();
      if (this.#sessionId !== undefined)
        await this.#options.executor.closeSession({ id: this.#sessionId });
    });
  }

  async #inSession<Result>(
    signal: AbortSignal | undefined,
    onOpened: (session: SessionInfo) => void,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    if (this.#session !== undefined) {
      try {
        return await work(this.#session);
      } catch (error) {
        // The held session is gone: it may have expired during the model's turn.
        if (!isSessionGone(error)) throw error;
        await this.#release();
      }
    }
    return work(await this.#acquire(signal, onOpened));
  }

  async #executeIn(
    session: Session,
    code: string,
    options: SessionExecuteOptions,
  ): Promise<CodeRun> {
    const inputProblems = await placeFiles(this.#options.files, session, options.signal);
    const result = await session.execute(code, options);
    // Determined after the program, which may have waited while another user reset the session.
    const stateWasLost = isLost(this.state, session);
    this.state = result.sessionOpen ? { hasState: true, stateId: session.stateId } : NO_STATE;
    if (!result.sessionOpen) await this.#release();
    return { result, stateWasLost, inputProblems };
  }

  async #startIn(
    session: Session,
    code: string,
    options: SessionExecuteOptions,
  ): Promise<StartedRun> {
    const inputProblems = await placeFiles(this.#options.files, session, options.signal);
    const program = await session.start(code, options);
    const stateWasLost = isLost(this.state, session);
    this.state = { hasState: true, stateId: session.stateId };
    return startedRun(program, { stateWasLost, inputProblems }, ({ sessionOpen }) => {
      if (!sessionOpen) this.state = NO_STATE;
    });
  }

  async #acquire(
    signal: AbortSignal | undefined,
    onOpened: (session: SessionInfo) => void,
  ): Promise<Session> {
    const session = await this.#open(signal);
    this.#session = session;
    if (session.isNew || session.acquired.resumed !== undefined) onOpened(session.acquired);
    this.#watch(session);
    return session;
  }

  async #open(signal: AbortSignal | undefined): Promise<Session> {
    const { executor, tools, labels, persistent = false, sessionWaitMs = 0 } = this.#options;
    const session = await executor.acquire({
      sessionKey: this.key,
      tools,
      persistent,
      sessionWaitMs,
      ...(labels && { labels }),
      ...(signal && { signal }),
    });
    this.#sessionId = session.id;
    return session;
  }

  /** Notifies the holders when the session ends, before the next program acquires it again. */
  #watch({ id: sessionId, closing }: Session): void {
    // The same sandbox may have been acquired before.
    if (closing === this.#closing) return;
    this.#closing = closing;
    const tell = async (): Promise<void> => {
      const reason = await closing;
      if (this.#closing !== closing) return;
      for (const { onClosed } of this.#holds) onClosed({ sessionId, reason });
    };
    inBackground(tell());
  }

  async #releaseUnlessHeld(): Promise<void> {
    if (this.#holds.size === 0) await this.#release();
  }

  async #release(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.release();
  }
}
