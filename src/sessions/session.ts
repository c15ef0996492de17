import PQueue from 'p-queue';
import type { ExecutionEvent, ExecutionResult } from '../execution/execution.ts';
import { Interpreter } from '../execution/interpreter.ts';
import type { Language } from '../languages/language.ts';
import type { ResourceLimits, Sandbox, SandboxProvider } from '../sandbox/sandbox.ts';
import { PtcError } from '../shared/errors.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';

/** What all sessions of an executor have in common. */
export interface SessionSettings {
  readonly provider: SandboxProvider;
  readonly language: Language;
  readonly limits: ResourceLimits;
  readonly outputLimitBytes: number;
  readonly startTimeoutMs: number;
  /** How long an unused session lives. */
  readonly sessionTimeoutMs: number;
}

export interface SessionRunOptions {
  readonly tools: ToolSet;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ExecutionEvent) => void) | undefined;
}

export type SessionState = 'idle' | 'busy' | 'closed';

/** What is known of a session without touching its sandbox. Times are milliseconds since the epoch. */
export interface SessionInfo {
  readonly id: string;
  readonly state: SessionState;
  /** The engine it runs on, such as `docker`. */
  readonly provider: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  /** When it expires unless it is used before. */
  readonly expiresAtMs: number;
  readonly runs: number;
  readonly toolCalls: number;
}

/** One sandbox and the interpreter in it. Its runs queue. */
export class Session {
  readonly id: string;
  readonly #settings: SessionSettings;
  readonly #sandbox: Sandbox;
  readonly #interpreter: Interpreter;
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });
  // On the monotonic clock, which a changed wall clock does not move.
  readonly #created: number = performance.now();
  #lastUsed: number = this.#created;
  #configuredTools: readonly Tool[] | undefined;
  #runs = 0;
  #toolCalls = 0;
  readonly #closeSignal: AbortController = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(id: string, settings: SessionSettings, sandbox: Sandbox) {
    this.id = id;
    this.#settings = settings;
    this.#sandbox = sandbox;
    this.#interpreter = new Interpreter(sandbox.transport, {
      sessionId: id,
      outputLimitBytes: settings.outputLimitBytes,
      startTimeoutMs: settings.startTimeoutMs,
    });
  }

  /**
   * Starts a sandbox and waits until its runner is ready. What was started of one that fails is gone.
   * @throws PtcError as `SandboxProvider.create` does, `SANDBOX_START_FAILED` or `ABORTED`.
   */
  static async open(id: string, settings: SessionSettings, signal?: AbortSignal): Promise<Session> {
    const spec = {
      sessionId: id,
      language: settings.language.name,
      limits: settings.limits,
    };
    const sandbox = await settings.provider.create(spec, signal ? { signal } : {});
    const session = new Session(id, settings, sandbox);
    try {
      await session.#interpreter.ready(signal);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  get state(): SessionState {
    if (this.#closing !== undefined || !this.#interpreter.open) return 'closed';
    return this.#queue.pending + this.#queue.size > 0 ? 'busy' : 'idle';
  }

  /** Whether nobody used it for longer than its time to live. A busy session never is. */
  get expired(): boolean {
    const unusedMs = performance.now() - this.#lastUsed;
    return this.state !== 'busy' && unusedMs >= this.#settings.sessionTimeoutMs;
  }

  info(): SessionInfo {
    return {
      id: this.id,
      state: this.state,
      provider: this.#settings.provider.name,
      createdAtMs: wallTime(this.#created),
      lastUsedAtMs: wallTime(this.#lastUsed),
      expiresAtMs: wallTime(this.#lastUsed + this.#settings.sessionTimeoutMs),
      runs: this.#runs,
      toolCalls: this.#toolCalls,
    };
  }

  /**
   * Runs a program after those that wait already.
   * @throws PtcError `CLOSED` where the session is closed before the program's turn, `ABORTED`
   * where the caller aborts before it.
   */
  async execute(code: string, options: SessionRunOptions): Promise<ExecutionResult> {
    return this.#queue.add(() => this.#run(code, options));
  }

  /** Ends the session, a program that runs in it included, and returns when its sandbox is gone. */
  async close(): Promise<void> {
    this.#closeSignal.abort();
    this.#closing ??= this.#sandbox.close();
    await this.#closing;
  }

  async #run(code: string, options: SessionRunOptions): Promise<ExecutionResult> {
    if (options.signal?.aborted === true) {
      throw new PtcError('ABORTED', 'The run was aborted before it started.', {
        cause: options.signal.reason,
      });
    }
    if (this.state === 'closed') {
      throw new PtcError('CLOSED', `Session ${this.id} is closed. Start a new one.`);
    }
    const { language } = this.#settings;
    this.#configure(options.tools.forCaller('code'));
    const { signal } = options;
    const { signal: closing } = this.#closeSignal;
    const result = await this.#interpreter.execute({
      ...options,
      code: language.program(code),
      signal: signal ? AbortSignal.any([closing, signal]) : closing,
    });
    this.#runs += 1;
    this.#toolCalls += result.toolCalls;
    this.#lastUsed = performance.now();
    if (!result.sessionOpen) await this.close();
    return result;
  }

  /** Tells the runner of its tools, where they are not those it knows. */
  #configure(tools: readonly Tool[]): void {
    if (tools === this.#configuredTools) return;
    this.#configuredTools = tools;
    this.#interpreter.configure(this.#settings.language.stubs(tools));
  }
}

function wallTime(monotonic: number): number {
  return Math.round(performance.timeOrigin + monotonic);
}
