import { setMaxListeners } from 'node:events';
import { onAbort } from './on-abort.ts';

/**
 * A signal that fires if one of its sources does, and removes its listeners when it is disposed of.
 * A signal of `AbortSignal.any` stays registered with its sources as long as they live, which can
 * be as long as the process. It also forgets, in Node 20, a source that nothing else refers to, such
 * as one of `AbortSignal.timeout`, when memory is cleaned up: the time limit then never fires.
 */
export class AnySignal implements Disposable {
  readonly #stopListening: readonly (() => void)[];
  readonly #controller: AbortController = new AbortController();

  /** @param sources - Those that are undefined never fire. */
  constructor(...sources: readonly (AbortSignal | undefined)[]) {
    // Every tool call in progress listens to it.
    setMaxListeners(0, this.#controller.signal);
    const given = sources.filter((source) => source !== undefined);
    const fire = (): void => {
      const fired = given.find(({ aborted }) => aborted);
      if (fired !== undefined) this.#controller.abort(fired.reason);
    };
    this.#stopListening = given.map((source) => onAbort(source, () => fire()));
    fire();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Fires it, although none of its sources has fired. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stopListening) stop();
  }
}
