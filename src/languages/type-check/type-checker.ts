import type { LanguageName } from '../../protocol/messages.ts';
import type { Tool } from '../../tools/tool.ts';
import type { ProgramChecker, ProgramRefusal, SessionChecker } from '../program-checker.ts';
import { declarations } from '../typescript-declarations.ts';
import { CheckerThread } from './checker-thread.ts';
import { installedCompiler, refuseCompiler } from './compiler-version.ts';
import { refusalOf } from './report.ts';
import { SessionNames } from './session-names.ts';

/** Checks TypeScript programs against their tools' declarations, in a thread of its own. */
export class TypeChecker implements ProgramChecker {
  readonly #thread: CheckerThread;
  readonly #texts: WeakMap<readonly Tool[], string> = new WeakMap();
  #sessions = 0;

  /**
   * @param onProgress - Hears of programs that could not be checked.
   * @throws PtcError `TYPE_CHECKER_MISSING`
   */
  constructor(onProgress: ((message: string) => void) | undefined) {
    refuseCompiler(installedCompiler());
    this.#thread = new CheckerThread(onProgress);
  }

  follow(resumed: boolean): SessionChecker {
    this.#sessions += 1;
    const session = this.#sessions;
    const names = new SessionNames(resumed);
    return {
      check: async (language, code, tools) => this.#check(session, names, language, code, tools),
      lastFailed: () => names.loosenLast(),
    };
  }

  async warmUp(): Promise<void> {
    await this.#thread.warmUp();
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #check(
    session: number,
    names: SessionNames,
    language: LanguageName,
    code: string,
    tools: readonly Tool[],
  ): Promise<ProgramRefusal | undefined> {
    // JavaScript shares its names with TypeScript; no other language does.
    if (language !== 'typescript' && language !== 'javascript') return undefined;
    const { modules, hasUnknownNames } = names;
    const typed = language === 'typescript';
    const text = this.#declarations(tools);
    const request = { code, typed, tools: text, session, modules, hasUnknownNames };
    const answer = await this.#thread.ask(request);
    if (answer === undefined) {
      names.addUnknown();
      return undefined;
    }
    const refusal = refusalOf(answer.problems, code);
    if (refusal === undefined) names.add(answer);
    return refusal;
  }

  #declarations(tools: readonly Tool[]): string {
    const known = this.#texts.get(tools);
    if (known !== undefined) return known;
    const text = declarations(tools);
    this.#texts.set(tools, text);
    return text;
  }
}
