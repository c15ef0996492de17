import { randomUUID } from 'node:crypto';
import { Interpreter } from '../execution/interpreter.ts';
import type { RunBudgets } from '../execution/run-budgets.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { ResourceLimits, Sandbox, SandboxProvider, SandboxSpec } from '../sandbox/sandbox.ts';
import { PtcError } from '../shared/errors.ts';
import type { Permit } from './capacity.ts';

/** What all sandboxes of an executor have in common. */
export interface SandboxSettings {
  readonly provider: SandboxProvider;
  readonly languages: readonly LanguageName[];
  readonly limits: ResourceLimits;
  readonly outputLimitBytes: number;
  readonly showLastValue: boolean;
  readonly budgets: RunBudgets;
  readonly startTimeoutMs: number;
  /** How long an unused session lives. */
  readonly sessionTimeoutMs: number;
}

/** How an earlier host left a persistent sandbox. */
export interface SandboxPast {
  /** The programs that it ran. */
  readonly runs: number;
  /** Whether one was under way. It has been stopped. */
  readonly interrupted: boolean;
}

/** So much longer than its session a persistent sandbox lives: while it has a host, the host ends it. */
const PERSISTENT_MARGIN_MS = 10_000;

/** A sandbox whose runner is ready, with the permit that counts it. */
export class StartedSandbox {
  /** The engine's own id. */
  readonly id: string;
  /** The engine, such as `docker`. */
  readonly provider: string;
  readonly interpreter: Interpreter;
  /** Undefined where this host made it. */
  past: SandboxPast | undefined;
  /** Whether it stood ready in the pool. */
  fromPool = false;
  readonly #spec: Pick<SandboxSpec, 'sessionId' | 'persistent'>;
  readonly #sandbox: Sandbox;
  readonly #permit: Permit;
  #closing: Promise<void> | undefined;

  private constructor(
    spec: Pick<SandboxSpec, 'sessionId' | 'persistent'>,
    sandbox: Sandbox,
    settings: SandboxSettings,
    permit: Permit,
    attachAsked: boolean,
  ) {
    this.#spec = spec;
    this.id = sandbox.id;
    this.provider = settings.provider.name;
    this.#sandbox = sandbox;
    this.#permit = permit;
    this.interpreter = new Interpreter(sandbox.transport, { ...settings, attachAsked });
  }

  /**
   * Starts a sandbox and waits until its runner is ready. What was started of one that fails is gone,
   * and its permit given back.
   * @param session - The session that it serves, and whether it is to outlive this host. @default none yet
   * @throws PtcError as `SandboxProvider.create` does, `SANDBOX_START_FAILED` or `ABORTED`.
   */
  static async start(
    settings: SandboxSettings,
    permit: Permit,
    signal: AbortSignal,
    session: { readonly sessionId?: string; readonly persistent?: boolean } = {},
  ): Promise<StartedSandbox> {
    const { sessionId = randomUUID(), persistent = false } = session;
    const spec: SandboxSpec = {
      sessionId,
      languages: settings.languages,
      limits: settings.limits,
      ...(persistent && { persistent: persistence(settings) }),
    };
    let started: StartedSandbox | undefined;
    try {
      const sandbox = await settings.provider.create(spec, { signal });
      started = new StartedSandbox(spec, sandbox, settings, permit, persistent);
      await started.interpreter.ready(signal);
      return started;
    } catch (error) {
      await started?.close();
      permit.release();
      throw error;
    }
  }

  /**
   * Takes over the persistent sandbox of a session; undefined where there is none, with the permit
   * still to use. One that cannot be taken over is ended.
   * @throws PtcError as `SandboxProvider.attach` does, `SANDBOX_LOST` or `ABORTED`.
   */
  static async resume(
    settings: SandboxSettings,
    permit: Permit,
    signal: AbortSignal,
    sessionId: string,
  ): Promise<StartedSandbox | undefined> {
    const persistent = persistence(settings);
    let started: StartedSandbox | undefined;
    try {
      const sandbox = await settings.provider.attach?.(sessionId, { signal });
      if (sandbox === undefined) return undefined;
      started = new StartedSandbox({ sessionId, persistent }, sandbox, settings, permit, false);
      const { executions, interrupted } = await started.interpreter.attach(
        persistent.idleLimitMs,
        signal,
      );
      started.past = { runs: executions, interrupted };
      return started;
    } catch (error) {
      await started?.close();
      permit.release();
      if (started === undefined || signal.aborted) throw error;
      throw new PtcError(
        'SANDBOX_LOST',
        `The sandbox of session ${sessionId} was there and could not be taken over, so it was ended and its state is lost. Acquire the key again for a new one.`,
        { cause: error, details: { sessionId } },
      );
    }
  }

  /** Whether it outlives this host. */
  get persistent(): boolean {
    return this.#spec.persistent !== undefined;
  }

  /** Bytes that it takes, as its engine counts them; undefined where that cannot be told. */
  async memoryUsage(): Promise<number | undefined> {
    return this.#sandbox.memoryUsage?.();
  }

  /** Has the time begin anew after which a persistent sandbox ends by itself. No program may be under way. */
  renew(): void {
    if (this.#spec.persistent) this.interpreter.renew(this.#spec.persistent.idleLimitMs);
  }

  /** Leaves a persistent sandbox to the next host, where its runner still runs. */
  async detach(): Promise<void> {
    if (!this.interpreter.open || this.#sandbox.detach === undefined) return this.close();
    this.#closing ??= this.#sandbox.detach().finally(() => this.#permit.release());
    await this.#closing;
  }

  /** Ends it and returns when it is gone. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= this.#sandbox.close().finally(() => this.#permit.release());
    await this.#closing;
  }
}

function persistence({ sessionTimeoutMs }: SandboxSettings): { idleLimitMs: number } {
  return { idleLimitMs: sessionTimeoutMs + PERSISTENT_MARGIN_MS };
}
