import { randomUUID } from 'node:crypto';
import { Interpreter } from '../execution/interpreter.ts';
import type { Language } from '../languages/language.ts';
import type { Transport } from '../protocol/transport.ts';
import type { ResourceLimits, Sandbox, SandboxProvider } from '../sandbox/sandbox.ts';
import { createDeferred } from '../shared/deferred.ts';
import type { Permit } from './capacity.ts';

/** What all sandboxes of an executor have in common. */
export interface SandboxSettings {
  readonly provider: SandboxProvider;
  readonly language: Language;
  readonly limits: ResourceLimits;
  readonly outputLimitBytes: number;
  readonly startTimeoutMs: number;
  /** How long an unused session lives. */
  readonly sessionTimeoutMs: number;
}

/** A sandbox whose runner is ready, with the permit that counts it. */
export class StartedSandbox {
  /** What the engine's labels call it. */
  readonly id: string;
  /** The engine, such as `docker`. */
  readonly provider: string;
  readonly interpreter: Interpreter;
  /** Settles when its runner is gone, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #sandbox: Sandbox;
  readonly #permit: Permit;
  /** The interpreter reads it anew for each run, because a pooled sandbox has no session yet. */
  readonly #identity: { sessionId: string };
  #closing: Promise<void> | undefined;

  private constructor(id: string, sandbox: Sandbox, settings: SandboxSettings, permit: Permit) {
    this.id = id;
    this.provider = settings.provider.name;
    this.#sandbox = sandbox;
    this.#permit = permit;
    const { outputLimitBytes, startTimeoutMs } = settings;
    const options = { sessionId: id, outputLimitBytes, startTimeoutMs };
    this.#identity = options;
    const ended = createDeferred<void>();
    this.ended = ended.promise;
    this.interpreter = new Interpreter(
      watched(sandbox.transport, () => ended.resolve()),
      options,
    );
  }

  /**
   * Starts a sandbox and waits until its runner is ready. What was started of one that fails is gone,
   * and its permit given back.
   * @throws PtcError as `SandboxProvider.create` does, `SANDBOX_START_FAILED` or `ABORTED`.
   */
  static async start(
    settings: SandboxSettings,
    permit: Permit,
    signal: AbortSignal,
  ): Promise<StartedSandbox> {
    // Its 122 random bits are an unnamed session's id, which only who was told it can use.
    const id = randomUUID();
    const spec = {
      sessionId: id,
      language: settings.language.name,
      limits: settings.limits,
      expiresAtMs: Date.now() + settings.sessionTimeoutMs,
    };
    let started: StartedSandbox | undefined;
    try {
      const sandbox = await settings.provider.create(spec, { signal });
      started = new StartedSandbox(id, sandbox, settings, permit);
      await started.interpreter.ready(signal);
      return started;
    } catch (error) {
      await started?.close();
      permit.release();
      throw error;
    }
  }

  /** Its runs are this session's from now on. */
  serve(sessionId: string): void {
    this.#identity.sessionId = sessionId;
  }

  /** Bytes that it takes, as its engine counts them; undefined where that cannot be told. */
  async memoryUsage(): Promise<number | undefined> {
    return this.#sandbox.memoryUsage?.().catch(() => undefined);
  }

  /** Ends it and returns when it is gone. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= this.#sandbox.close().finally(() => this.#permit.release());
    await this.#closing;
  }
}

/** The transport, with somebody else to tell of its end. */
function watched(transport: Transport, onEnd: () => void): Transport {
  return {
    listen: (listener) => {
      transport.listen({
        message: (message) => listener.message(message),
        closed: (error) => {
          listener.closed(error);
          onEnd();
        },
      });
    },
    send: (message) => transport.send(message),
    diagnostics: () => transport.diagnostics(),
    destroy: () => transport.destroy(),
  };
}
