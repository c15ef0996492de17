import type { SessionKeys } from '../../../src/sandbox/keys/keys.ts';

/** Keys that are always free, and that `lose` takes from whoever has them. */
export class LosableKeys implements SessionKeys {
  readonly #losses: AbortController[] = [];

  async stateOf(): Promise<'free'> {
    return 'free';
  }

  async hold(): ReturnType<SessionKeys['hold']> {
    const loss = new AbortController();
    this.#losses.push(loss);
    return { isWanted: false, lost: loss.signal, release: async () => undefined };
  }

  async waitUntilFree(): Promise<undefined> {}

  lose(): void {
    for (const loss of this.#losses.splice(0)) loss.abort();
  }
}
