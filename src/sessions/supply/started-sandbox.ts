import { randomUUID } from 'node:crypto';
import { RunnerConnection } from '../../execution/connection/runner-connection.ts';
import type { RunnerConnectionOptions } from '../../execution/connection/runner-connection-options.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type {
  ResourceLimits,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from '../../sandbox/sandbox.ts';
import { untilSettled } from '../../shared/async/background.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import { PtcError } from '../../shared/errors.ts';
import type { Permit } from './capacity.ts';
import { isNoRoom } from './when-full.ts';

/** The settings that all sandboxes of an executor share. */
export interface SandboxSettings extends Omit<RunnerConnectionOptions, 'attachAsked'> {
  readonly provider: SandboxProvider;
  readonly languages: readonly LanguageName[];
  readonly limits: ResourceLimits;
  /** How long a session lives without being used. */
  readonly idleTimeoutMs: number;
}

/** How an earlier host left a persistent sandbox. */
export interface SandboxPast {
  /** How many programs it ran. */
  readonly programs: number;
  /** Whether a program was running. It has been stopped. */
  readonly interrupted: boolean;
}

/**
 * How much longer than its session a persistent sandbox lives, so that its host, if it has one,
 * ends it first.
 */
const PERSISTENT_MARGIN_MS = 10_000;

/** A sandbox whose runner is ready, with the permit that counts it. */
export class StartedSandbox {
  /** The provider's id of the sandbox. */
  readonly id: string;
  /** The name of the provider, such as `docker`. */
  readonly provider: string;
  readonly connection: RunnerConnection;
  /** Undefined if this host created the sandbox. */
  past: SandboxPast | undefined;
  readonly #spec: Pick<SandboxSpec, 'sessionId' | 'persistent'>;
  readonly #sandbox: Sandbox;
  readonly #permit: Permit;
  #fromPool = false;
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
    this.connection = new RunnerConnection(sandbox.transport, { ...settings, attachAsked });
  }

  /**
   * Starts a sandbox and waits until its runner is ready. If that fails, what was started is
   * removed and the permit is released.
   * @param session - The session that it serves, and whether it outlives this host.
   * @default none yet
   * @throws PtcError what `SandboxProvider.create` throws, `SANDBOX_START_FAILED` or `ABORTED`.
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
    let sandbox: Sandbox | undefined;
    let started: StartedSandbox | undefined;
    try {
      sandbox = await settings.provider.create(spec, { signal });
      started = new StartedSandbox(spec, sandbox, settings, permit, persistent);
      await started.connection.ready(signal);
      return started;
    } catch (error) {
      // The transport of another's provider may throw, which leaves a sandbox that is not started.
      await untilSettled(async () => (started ?? sandbox)?.close());
      // A start that was ended may have been ended for a caller, which then asks the provider itself.
      if (isNoRoom(error) && !signal.aborted) permit.refuse(error);
      else permit.release();
      throw error;
    }
  }

  /**
   * Takes over the persistent sandbox of a session. Returns undefined if there is none; the permit
   * is then not used. A sandbox that cannot be taken over is ended, unless the caller gave up: then the
   * next one finds it.
   * @throws PtcError what `SandboxProvider.attach` throws, `SANDBOX_LOST` or `ABORTED`.
   */
  static async resume(
    settings: SandboxSettings,
    permit: Permit,
    signal: AbortSignal,
    sessionId: string,
  ): Promise<StartedSandbox | undefined> {
    const persistent = persistence(settings);
    let sandbox: Sandbox | undefined;
    let started: StartedSandbox | undefined;
    try {
      sandbox = await settings.provider.attach?.(sessionId, { signal });
      if (sandbox === undefined) return undefined;
      started = new StartedSandbox({ sessionId, persistent }, sandbox, settings, permit, false);
      const { executions, interrupted } = await started.connection.attach(
        persistent.idleLimitMs,
        signal,
      );
      started.past = { programs: executions, interrupted };
      return started;
    } catch (error) {
      await untilSettled(async () =>
        started !== undefined && signal.aborted ? started.detach() : (started ?? sandbox)?.close(),
      );
      permit.release();
      if (started === undefined || signal.aborted) throw error;
      throw new PtcError(
        'SANDBOX_LOST',
        `The sandbox of session ${sessionId} could not be taken over, so it was ended and its variables are lost. Acquire the key again for a new one.`,
        { cause: error, details: { sessionId } },
      );
    }
  }

  /** Whether it came from the pool. */
  get fromPool(): boolean {
    return this.#fromPool;
  }

  /** The pool gives it to a tenant, whose quota counts it from now on. */
  leavePool(tenant: Group): this {
    this.#fromPool = true;
    this.#permit.giveTo(tenant);
    return this;
  }

  /** Whether it outlives this host. */
  get persistent(): boolean {
    return this.#spec.persistent !== undefined;
  }

  /**
   * The memory that it uses, in bytes, as the provider measures it; undefined if the provider
   * cannot.
   */
  async memoryUsage(): Promise<number | undefined> {
    return this.#sandbox.memoryUsage?.();
  }

  /** Restarts the time after which a persistent sandbox ends itself. No program may be running. */
  renew(): void {
    if (this.#spec.persistent) this.connection.renew(this.#spec.persistent.idleLimitMs);
  }

  /** Leaves a persistent sandbox to the next host. Its runner continues. */
  async detach(): Promise<void> {
    if (!this.connection.open || this.#sandbox.detach === undefined) return this.close();
    this.#closing ??= this.#end(async () => this.#sandbox.detach?.());
    await this.#closing;
  }

  /**
   * Ends its use here at once, without a message to its runner. A persistent sandbox goes on, for
   * the host that has its key.
   * @param error - How a program ends.
   */
  async lose(error: PtcError): Promise<void> {
    this.connection.leave(error);
    this.#closing ??= this.#end(async () =>
      this.persistent ? this.#sandbox.detach?.() : this.#sandbox.close(),
    );
    await this.#closing;
  }

  /** Ends the sandbox and resolves when it is gone. Can be called more than once. */
  async close(): Promise<void> {
    this.#closing ??= this.#end(async () => this.#sandbox.close());
    await this.#closing;
  }

  async #end(end: () => Promise<void>): Promise<void> {
    try {
      await end();
    } finally {
      this.#permit.release();
    }
  }
}

function persistence({ idleTimeoutMs }: SandboxSettings): { idleLimitMs: number } {
  return { idleLimitMs: idleTimeoutMs + PERSISTENT_MARGIN_MS };
}
