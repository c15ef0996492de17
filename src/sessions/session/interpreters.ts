import type { RunnerConnection } from '../../execution/connection/runner-connection.ts';
import type { Language } from '../../languages/language.ts';
import type { ToolStub } from '../../protocol/messages.ts';
import type { Tool } from '../../tools/tool.ts';

/** The interpreters of one sandbox, each with the tools that it was configured with. */
export class Interpreters {
  readonly #connection: RunnerConnection;
  readonly #stubs: Map<Language, readonly ToolStub[]> = new Map();
  /** The languages of which a program seems to have read documentation: a function of it may do so again. */
  readonly #documented: Set<Language> = new Set();

  constructor(connection: RunnerConnection) {
    this.#connection = connection;
  }

  /**
   * Configures a language's interpreter with its tools if they have changed, or if a program seems to
   * be the first one to read their documentation.
   */
  configure(language: Language, tools: readonly Tool[], code = ''): void {
    const { documented } = language;
    if (documented?.isRead(code) === true) this.#documented.add(language);
    const { stubs: make } = (this.#documented.has(language) && documented) || language;
    const stubs = make(tools);
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
