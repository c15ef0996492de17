import { setMaxListeners } from 'node:events';

/**
 * A signal that fires if one of its sources does, and removes its listeners when it is disposed of.
 * A signal of `AbortSignal.any` stays registered with its sources as long as they live, which can
 * be as long as the process.
 */
export class AnySignal implements Disposable {
  readonly #sources: readonly AbortSignal[];
  readonly #controller: AbortController = new AbortController();

  /** @param sources - Those that are undefined never fire. */
  constructor(...sources: readonly (AbortSignal | undefined)[]) {
    // Every tool call in progress listens to it.
    setMaxListeners(0, this.#controller.signal);
    this.#sources = sources.filter((source) => source !== undefined);
    for (const source of this.#sources) source.addEventListener('abort', this.#onAbort);
    this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    const fired = this.#sources.find(({ aborted }) => aborted);
    if (fired !== undefined) this.#controller.abort(fired.reason);
  };
}
