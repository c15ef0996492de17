import { createDeferred, type Deferred } from '../shared/deferred.ts';

/** Events that a producer pushes and one consumer reads at its own pace. */
export class EventStream<Event> {
  readonly #events: Event[] = [];
  #wake: Deferred<void> = createDeferred();
  #end: { readonly error: unknown; readonly failed: boolean } | undefined;

  push(event: Event): void {
    this.#events.push(event);
    this.#wake.resolve();
  }

  /** No more events come. */
  close(): void {
    this.#end = { error: undefined, failed: false };
    this.#wake.resolve();
  }

  /** No more events come; the reader gets the error after those that did. */
  fail(error: unknown): void {
    this.#end = { error, failed: true };
    this.#wake.resolve();
  }

  async *read(): AsyncGenerator<Event, void> {
    for (;;) {
      yield* this.#events.splice(0);
      if (this.#events.length > 0) continue;
      if (this.#end?.failed === true) throw this.#end.error;
      if (this.#end) return;
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
  }
}
