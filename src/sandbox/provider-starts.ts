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
  readonly #running: Set<Promise<Sandbox>> = new Set();

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
    this.assertOpen();
    throwIfAborted(signal);
    const running = this.#start(signal, begin);
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

  async #start(
    signal: AbortSignal | undefined,
    begin: (within: AbortSignal) => Promise<Sandbox>,
  ): Promise<Sandbox> {
    using within = new AnySignal(signal, this.closing);
    const sandbox = await begin(within.signal);
    if (!within.signal.aborted) return sandbox;
    await sandbox.close();
    throw new PtcError('ABORTED', 'The start of the sandbox was aborted.');
  }

  /** Ends the starts that are under way, and refuses further ones. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }
}
