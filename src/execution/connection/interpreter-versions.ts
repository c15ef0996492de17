import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import type { ConfiguredMessage, LanguageName } from '../../protocol/messages.ts';

/** What a runner told about its interpreters, in answer to their configuration. */
export class InterpreterVersions {
  readonly #answers: Map<string, Deferred<string | undefined>> = new Map();

  /** Expects an answer about the language. */
  ask(language: LanguageName): void {
    if (!this.#answers.has(language)) this.#answers.set(language, createDeferred());
  }

  /** Whether an answer about the language was expected at any time. */
  tell({ language, version }: ConfiguredMessage): boolean {
    const answer = this.#answers.get(language);
    answer?.resolve(version ?? undefined);
    return answer !== undefined;
  }

  /** No further answer will come. */
  end(): void {
    for (const answer of this.#answers.values()) answer.resolve(undefined);
  }

  /**
   * The version of the language's interpreter; undefined if it does not tell, or if there is no
   * answer within this time.
   */
  async of(language: LanguageName, limitMs: number): Promise<string | undefined> {
    const answer = this.#answers.get(language);
    const timer = setTimeout(() => answer?.resolve(undefined), limitMs);
    try {
      return await answer?.promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
