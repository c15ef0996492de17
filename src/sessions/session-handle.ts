import type { ExecutionResult } from '../execution/execution.ts';
import { PtcError } from '../shared/errors.ts';
import type { SessionExecuteOptions } from './executor-options.ts';
import type { KeyedSession } from './keyed-session.ts';
import type { Session } from './session.ts';
import type { SessionInfo } from './session-info.ts';

/** What a handle needs of its executor. */
export interface SessionHandleHost {
  /** @throws PtcError `SESSION_EXPIRED` or `SESSION_NOT_FOUND`. */
  readonly find: (id: string) => Session;
  readonly run: (
    session: Session,
    code: string,
    options: SessionExecuteOptions,
  ) => Promise<ExecutionResult>;
  /** Fires when the executor closes. */
  readonly signal: AbortSignal;
  /** Ends the use of the session by this handle. */
  readonly endUse: () => void;
}

/**
 * The use of a key's session. As long as it is not released the session is not evicted; unused it
 * expires all the same. Handles of one key share the session.
 */
export class SessionHandle implements AsyncDisposable {
  readonly id: string;
  readonly key: string;
  readonly #keyed: KeyedSession;
  readonly #host: SessionHandleHost;
  readonly #start: number;
  #released = false;

  /** Only an executor makes them: `SandboxExecutor.acquire`. */
  constructor(keyed: KeyedSession, host: SessionHandleHost) {
    this.id = keyed.id;
    this.key = keyed.key;
    this.#keyed = keyed;
    this.#host = host;
    this.#start = keyed.starts;
  }

  /**
   * Runs code after the programs that wait already. What goes wrong in the code is in the result.
   * @throws PtcError `CLOSED` after `release` or `destroy`, `SESSION_EXPIRED` or `SESSION_NOT_FOUND`
   * where the session is gone, with the reason, `OPTION_INVALID`, or `ABORTED` where the signal fires
   * before the code starts.
   */
  async execute(code: string, options: SessionExecuteOptions = {}): Promise<ExecutionResult> {
    return this.#host.run(await this.#session(), code, options);
  }

  /** What is known of the session, its sandbox's memory included. @throws PtcError as `execute`. */
  async info(): Promise<SessionInfo> {
    const session = await this.#session();
    return session.measuredInfo();
  }

  /** Ends the use. The session and its state stay for the same key until it expires. May be called again. */
  async release(): Promise<void> {
    this.#released = true;
    this.#host.endUse();
  }

  /**
   * Gives the session a fresh sandbox under the same id; the state is gone, a program under way is
   * cancelled.
   * @throws PtcError as `execute`, and as `SandboxExecutor.acquire`.
   */
  async reset(): Promise<void> {
    // Where no reset is under way it begins now: a program that comes next finds it begun.
    if (this.#keyed.resetting === undefined) this.#current();
    else await this.#session();
    await this.#keyed.reset(this.#host.signal);
  }

  /** Ends the session, a program under way included, and returns when its sandbox is gone. */
  async destroy(): Promise<void> {
    this.#checkUse();
    await this.release();
    await this.#keyed.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  async #session(): Promise<Session> {
    this.#checkUse();
    if (this.#keyed.resetting !== undefined) await this.#keyed.resetting;
    return this.#current();
  }

  #current(): Session {
    this.#checkUse();
    const session = this.#host.find(this.id);
    if (session === this.#keyed.session && this.#keyed.starts === this.#start) return session;
    const message = `The sandbox of key ${JSON.stringify(this.key)} was replaced, and its state lost. Acquire the key again.`;
    throw new PtcError('SESSION_NOT_FOUND', message, { details: { sessionId: this.id } });
  }

  #checkUse(): void {
    if (!this.#released) return;
    const message = `This handle of key ${JSON.stringify(this.key)} was released. Acquire the key again.`;
    throw new PtcError('CLOSED', message, { details: { sessionId: this.id, key: this.key } });
  }
}
