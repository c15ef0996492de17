import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import type { ExecutionResult } from '../execution/execution.ts';
import type { SessionExecuteOptions, SessionLabels } from '../sessions/executor-options.ts';
import type { Executor, Session } from '../sessions/executor.ts';
import { inBackground } from '../shared/background.ts';
import { PtcError } from '../shared/errors.ts';
import type { SessionCloseReason, SessionInfo } from '../sessions/session-info.ts';
import { isLost, NO_STATE, type ProgramState } from './program-state.ts';

export interface CodeSessionOptions {
  readonly executor: Executor;
  /** @default a random one */
  readonly key?: string | undefined;
  /** What its session is opened with. @default none */
  readonly labels?: SessionLabels | undefined;
  /** Whether the session outlives this process. @default false */
  readonly persistent?: boolean | undefined;
  /** What is known of programs that ran before, such as in another process. @default none ran */
  readonly state?: ProgramState | undefined;
}

/** What came of a program. */
export interface CodeRun {
  readonly result: ExecutionResult;
  /** Whether programs ran before, and their variables were gone when this one began. */
  readonly stateWasLost: boolean;
}

/** A session that was closed, and why. */
export interface ClosedSession {
  readonly sessionId: string;
  readonly reason: SessionCloseReason;
}

/** Keeps a session from being evicted, and hears if it is closed all the same. */
interface Hold {
  readonly onClosed: (closed: ClosedSession) => void;
}

/** What a conversation's programs run in: the session of its key, released after each program unless it is held. */
export class CodeSession {
  readonly key: string;
  readonly #options: CodeSessionOptions;
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });
  #session: Session | undefined;
  /** Of the session that was used last. */
  #sessionId: string | undefined;
  /** What is known of the programs that ran. It can be set: others may know more, such as another process. */
  state: ProgramState;
  readonly #holds: Set<Hold> = new Set();
  /** Of the session that was used last. */
  #closing: Session['closing'] | undefined;

  constructor(options: CodeSessionOptions) {
    this.key = options.key ?? randomUUID();
    this.#options = options;
    this.state = options.state ?? NO_STATE;
  }

  /**
   * Runs a program after those that wait already: the programs of one answer of a model share the session.
   * @param onOpened - Hears of a session that was opened or taken over for it.
   * @throws PtcError as `Executor.acquire` and `Session.execute`.
   */
  async execute(
    code: string,
    options: SessionExecuteOptions,
    onOpened: (session: SessionInfo) => void,
  ): Promise<CodeRun> {
    return this.#queue.add(async () => {
      try {
        return await this.#execute(code, options, onOpened);
      } finally {
        await this.#releaseUnlessHeld();
      }
    });
  }

  /** What is known of the session of the key, whoever opened it; undefined if there is none that could be used. */
  async info(): Promise<SessionInfo | undefined> {
    return this.#options.executor.inspectSessionOf(this.key);
  }

  /**
   * Keeps the session from being evicted between programs.
   * @param onClosed - Hears if the session that was used last is closed meanwhile, for whatever reason.
   * @returns What ends both at once. May be called again.
   */
  hold(onClosed: Hold['onClosed']): () => Promise<void> {
    const hold: Hold = { onClosed };
    this.#holds.add(hold);
    return async () => {
      this.#holds.delete(hold);
      await this.#queue.add(async () => this.#releaseUnlessHeld());
    };
  }

  /**
   * Ends the session of the key, whoever opened it. The next program has a new one.
   * @throws PtcError as `Executor.closeSessionOf`. The session is still there then.
   */
  async reset(): Promise<void> {
    const { executor, persistent = false } = this.#options;
    await this.#queue.add(async () => {
      await executor.closeSessionOf(this.key, { persistent });
      this.state = NO_STATE;
      await this.#release();
    });
  }

  /** Ends the session that programs ran in here. */
  async end(): Promise<void> {
    await this.#queue.add(async () => {
      await this.#release();
      if (this.#sessionId !== undefined) await this.#options.executor.closeSession(this.#sessionId);
    });
  }

  async #execute(
    code: string,
    options: SessionExecuteOptions,
    onOpened: (session: SessionInfo) => void,
  ): Promise<CodeRun> {
    const held = await this.#executeInHeld(code, options);
    if (held !== undefined) return held;
    const session = await this.#acquire(options.signal, onOpened);
    return this.#executeIn(session, code, options);
  }

  /** Undefined if none is held, or the held one is gone: it may have expired while the model was thinking. */
  async #executeInHeld(code: string, options: SessionExecuteOptions): Promise<CodeRun | undefined> {
    if (this.#session === undefined) return undefined;
    try {
      return await this.#executeIn(this.#session, code, options);
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#release();
      return undefined;
    }
  }

  async #executeIn(
    session: Session,
    code: string,
    options: SessionExecuteOptions,
  ): Promise<CodeRun> {
    const result = await session.execute(code, options);
    // Afterwards: the program may have waited for another user's reset.
    const stateWasLost = isLost(this.state, session);
    this.state = result.sessionOpen ? { hasState: true, stateId: session.stateId } : NO_STATE;
    if (!result.sessionOpen) await this.#release();
    return { result, stateWasLost };
  }

  async #acquire(
    signal: AbortSignal | undefined,
    onOpened: (session: SessionInfo) => void,
  ): Promise<Session> {
    const { executor, labels, persistent = false } = this.#options;
    const session = await executor.acquire({
      key: this.key,
      persistent,
      ...(labels && { labels }),
      ...(signal && { signal }),
    });
    this.#session = session;
    if (session.isNew || session.acquired.resumed !== undefined) onOpened(session.acquired);
    this.#sessionId = session.id;
    this.#watch(session);
    return session;
  }

  /** Has those who hold the session hear of its end, also before its next program acquires it again. */
  #watch({ id: sessionId, closing }: Session): void {
    // The same sandbox is acquired again and again.
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

function isGone(error: unknown): boolean {
  return (
    PtcError.isInstance(error) &&
    (error.code === 'SESSION_EXPIRED' || error.code === 'SESSION_NOT_FOUND')
  );
}
