import type { RunnerConnection } from '../../execution/connection/runner-connection.ts';
import type { Language } from '../../languages/language.ts';
import type { ToolStub } from '../../protocol/messages.ts';
import type { Tool } from '../../tools/tool.ts';

/** The interpreters of one sandbox, each with the tools that it was configured with. */
export class Interpreters {
  readonly #connection: RunnerConnection;
  readonly #stubs: Map<Language, readonly ToolStub[]> = new Map();

  constructor(connection: RunnerConnection) {
    this.#connection = connection;
  }

  /** Configures a language's interpreter with its tools if they have changed. */
  configure(language: Language, tools: readonly Tool[]): void {
    const stubs = language.stubs(tools);
    if (stubs === this.#stubs.get(language)) return;
    this.#stubs.set(language, stubs);
    this.#connection.configure(language.name, stubs);
  }

  /**
   * The version of a language's interpreter, which this starts and configures if necessary;
   * undefined if it is unknown.
   */
  async version(language: Language, tools: readonly Tool[]): Promise<string | undefined> {
    this.configure(language, tools);
    return this.#connection.interpreterVersion(language.name);
  }
}
