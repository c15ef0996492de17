import { throwIfAborted } from '../shared/async/abort.ts';
import { AnySignal } from '../shared/async/any-signal.ts';
import { PtcError } from '../shared/errors.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * The starts of a provider's sandboxes. A provider that closes ends those that are under way, and waits
 * until nothing is left of them.
 */
export class ProviderStarts {
  readonly #name: string;
  readonly #closing: AbortController = new AbortController();
  readonly #running: Set<Promise<unknown>> = new Set();

  /** @param name - That of the provider, as error messages have it. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Fires when the provider closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** @throws PtcError `CLOSED` */
  assertOpen(): void {
    if (!this.closing.aborted) return;
    throw new PtcError('CLOSED', `The ${this.#name} provider was closed.`);
  }

  /**
   * Starts a sandbox unless the signal fires or the provider closes, also meanwhile.
   * @param begin - Starts it. Its signal fires in both cases, which it need not obey.
   * @throws PtcError `ABORTED` or `CLOSED`, or what `begin` throws.
   */
  async start(
    signal: AbortSignal | undefined,
    begin: (within: AbortSignal) => Promise<Sandbox>,
  ): Promise<Sandbox> {
    return this.run(signal, async (within) => {
      const sandbox = await begin(within);
      if (!within.aborted) return sandbox;
      await sandbox.close();
      throw new PtcError('ABORTED', 'The start of the sandbox was aborted.');
    });
  }

  /**
   * Does other work that leaves nothing when it has ended, as `start`.
   * @param work - Its signal fires if the signal does or the provider closes.
   * @throws PtcError `ABORTED` or `CLOSED`, or what `work` throws.
   */
  async run<Result>(
    signal: AbortSignal | undefined,
    work: (within: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    this.assertOpen();
    throwIfAborted(signal);
    const running = this.#run(signal, work);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throwIfAborted(signal);
      this.assertOpen();
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  async #run<Result>(
    signal: AbortSignal | undefined,
    work: (within: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    using within = new AnySignal(signal, this.closing);
    return await work(within.signal);
  }

  /** Ends the starts and the work that are under way, and refuses further ones. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }
}
