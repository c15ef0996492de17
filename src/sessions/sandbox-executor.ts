import type { ExecutionEvent, ExecutionResult } from '../execution/execution.ts';
import { python } from '../languages/python.ts';
import { selectProvider, type SandboxChoice } from '../providers/select-provider.ts';
import { DEFAULT_LIMITS } from '../sandbox/sandbox.ts';
import type { ProgressListener, ResourceLimits, SandboxProvider } from '../sandbox/sandbox.ts';
import { PtcError } from '../shared/errors.ts';
import { ToolRegistry } from '../tools/registry.ts';
import type { Session, SessionInfo, SessionSettings } from './session.ts';
import { SessionManager } from './session-manager.ts';

export interface SandboxExecutorOptions {
  /** The tools that code may call. @default none */
  readonly tools?: ToolRegistry;
  /** Where code runs. A provider of your own stays yours to close. @default 'auto': Docker where an engine answers, else the embedded engine */
  readonly sandbox?: SandboxChoice;
  /** What a sandbox may use; what is left out has its default. */
  readonly limits?: Partial<ResourceLimits>;
  /** Time limit of a run. @default 60000 */
  readonly timeoutMs?: number;
  /** What is kept of each output stream of a run: half of it from the start, half from the end. @default 1048576 (1 MiB) */
  readonly outputLimitBytes?: number;
  /** How long an unused session lives. @default 270000 */
  readonly sessionTimeoutMs?: number;
  /** How often expired sessions are looked for. @default 60000 */
  readonly cleanupIntervalMs?: number;
  /** How long a started sandbox may take until its runner answers. @default 30000 */
  readonly startTimeoutMs?: number;
  /** Hears of what takes long, such as an image being built, and which sandbox was chosen. */
  readonly onProgress?: ProgressListener;
}

export interface ExecuteOptions {
  /** Runs in this session, which must exist unless `reuseSession` is set too. */
  readonly sessionId?: string;
  /** Keeps the session for later runs; opens a new one where there is none of `sessionId`. @default false */
  readonly reuseSession?: boolean;
  /** Time limit of this run. @default the executor's */
  readonly timeoutMs?: number;
  /** Stops the run. Its result then has the status `cancelled`. */
  readonly signal?: AbortSignal;
  /** Hears of output and tool calls as they come. */
  readonly onEvent?: (event: ExecutionEvent) => void;
}

/** Runs code in sandboxes: the low-level entry, without a model. */
export class SandboxExecutor implements AsyncDisposable {
  readonly tools: ToolRegistry;
  readonly #options: SandboxExecutorOptions;
  readonly #timeoutMs: number;
  readonly #sessions: SessionManager;
  #provider: Promise<SandboxProvider> | undefined;
  readonly #closing: AbortController = new AbortController();
  /** Sessions whose sandboxes start. */
  readonly #opening: Set<Promise<Session>> = new Set();

  /** @throws PtcError `OPTION_INVALID` for a number that is none, not positive, or a longer delay than 24 days. */
  constructor(options: SandboxExecutorOptions = {}) {
    this.#options = options;
    this.tools = options.tools ?? new ToolRegistry();
    this.#timeoutMs = delay('timeoutMs', options.timeoutMs ?? 60_000);
    positive('outputLimitBytes', options.outputLimitBytes ?? 1);
    positive('sessionTimeoutMs', options.sessionTimeoutMs ?? 1);
    delay('startTimeoutMs', options.startTimeoutMs ?? 1);
    for (const [name, value] of Object.entries(options.limits ?? {})) positive(name, value);
    this.#sessions = new SessionManager(
      delay('cleanupIntervalMs', options.cleanupIntervalMs ?? 60_000),
    );
  }

  /**
   * Runs code. What goes wrong in the code is in the result; only faults of the host are thrown.
   * @throws PtcError `SESSION_NOT_FOUND`, `SESSION_EXPIRED`, `SANDBOX_UNAVAILABLE`,
   * `SANDBOX_START_FAILED`, `IMAGE_UNAVAILABLE`, `CLOSED`, `OPTION_INVALID`, or `ABORTED` where the
   * signal fires before the code starts.
   */
  async execute(code: string, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    const timeoutMs = delay('timeoutMs', options.timeoutMs ?? this.#timeoutMs);
    const session = await this.#sessionFor(options);
    const keep = options.reuseSession === true || options.sessionId !== undefined;
    try {
      return await session.execute(code, {
        tools: this.tools.snapshot(),
        timeoutMs,
        signal: options.signal,
        onEvent: options.onEvent,
      });
    } finally {
      if (!keep || session.state === 'closed') await this.#sessions.close(session.id);
    }
  }

  /** What is known of a session; undefined where there is none that could be used. */
  getSession(id: string): SessionInfo | undefined {
    return this.activeSessions.find((session) => session.id === id);
  }

  /** All sessions that can be used. */
  get activeSessions(): SessionInfo[] {
    return this.#sessions.list();
  }

  /** Ends a session and returns when its sandbox is gone; false where there is none of this id. */
  async closeSession(id: string): Promise<boolean> {
    return this.#sessions.close(id);
  }

  async closeAllSessions(): Promise<void> {
    await this.#sessions.closeAll();
  }

  /** Looks for expired sessions from now on; the first reusable session starts it by itself. */
  startCleanupTask(): void {
    this.#sessions.startCleanup();
  }

  stopCleanupTask(): void {
    this.#sessions.stopCleanup();
  }

  /**
   * The name of the sandbox that is used, such as `docker`; chosen now if it was not yet.
   * @throws PtcError `SANDBOX_UNAVAILABLE`.
   */
  async sandboxName(): Promise<string> {
    return (await this.#selectedProvider()).name;
  }

  /** Ends everything. The executor cannot be used again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.stopCleanupTask();
    await Promise.allSettled(this.#opening);
    await this.closeAllSessions();
    // A provider that the caller made may serve other executors.
    if (typeof this.#options.sandbox === 'object') return;
    const provider = await this.#provider?.catch(() => undefined);
    await provider?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #sessionFor(options: ExecuteOptions): Promise<Session> {
    if (this.#closing.signal.aborted) throw closedError();
    if (options.sessionId !== undefined) {
      try {
        return this.#sessions.get(options.sessionId);
      } catch (error) {
        if (options.reuseSession !== true) throw error;
      }
    }
    if (options.reuseSession === true) this.startCleanupTask();
    return this.#open(options.signal);
  }

  async #open(callerSignal: AbortSignal | undefined): Promise<Session> {
    const settings = await this.#settings();
    const { signal } = this.#closing;
    if (signal.aborted) throw closedError();
    const signals = callerSignal ? [signal, callerSignal] : [signal];
    const opening = this.#sessions.open(settings, AbortSignal.any(signals));
    this.#opening.add(opening);
    try {
      const session = await opening;
      if (signal.aborted) throw closedError();
      return session;
    } catch (error) {
      throw signal.aborted ? closedError(error) : error;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #settings(): Promise<SessionSettings> {
    const { limits, outputLimitBytes, startTimeoutMs, sessionTimeoutMs } = this.#options;
    return {
      provider: await this.#selectedProvider(),
      language: python,
      limits: { ...DEFAULT_LIMITS, ...limits },
      outputLimitBytes: outputLimitBytes ?? 1024 * 1024,
      startTimeoutMs: startTimeoutMs ?? 30_000,
      sessionTimeoutMs: sessionTimeoutMs ?? 270_000,
    };
  }

  /** Chosen once; a choice that failed is tried again, since an engine may have been started since. */
  async #selectedProvider(): Promise<SandboxProvider> {
    this.#provider ??= selectProvider(this.#options.sandbox ?? 'auto', this.#options.onProgress);
    try {
      return await this.#provider;
    } catch (error) {
      this.#provider = undefined;
      throw error;
    }
  }
}

function closedError(cause?: unknown): PtcError {
  return new PtcError('CLOSED', 'This executor is closed. Make a new one.', { cause });
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new PtcError('OPTION_INVALID', `${name} must be a positive number, not ${String(value)}.`, {
    details: { option: name, value },
  });
}

/** Longer delays than 2^31 - 1 ms make a Node timer fire at once. */
function delay(name: string, value: number): number {
  if (positive(name, value) < 2 ** 31) return value;
  throw new PtcError('OPTION_INVALID', `${name} must be less than 2147483648, not ${value}.`, {
    details: { option: name, value },
  });
}
