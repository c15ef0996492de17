import type { Tool } from '../../tools/tool.ts';
import type {
  CheckedProgram,
  ProgramChecker,
  ProgramRefusal,
  SessionChecker,
} from '../program-checker.ts';
import { checkedDeclarations } from '../typescript/declarations.ts';
import { CheckerProcess } from './checker-process.ts';
import { nodeLine } from './shared/node-library.ts';
import { refusalOf } from './report.ts';
import { SessionNames } from './session-names.ts';

interface CheckedSession {
  readonly session: number;
  readonly tenant: string | undefined;
  readonly names: SessionNames;
}

/** Checks TypeScript programs against the declarations of their tools, in a separate process. */
export class TypeChecker implements ProgramChecker {
  readonly #process: CheckerProcess;
  readonly #texts: WeakMap<readonly Tool[], string> = new WeakMap();
  readonly #onlyWarns: boolean;
  #sessions = 0;

  /**
   * @param onProgress - Called with messages about programs that could not be checked.
   * @param onlyWarns - Whether programs run whatever it finds.
   */
  constructor(onProgress: ((message: string) => void) | undefined, onlyWarns = false) {
    this.#onlyWarns = onlyWarns;
    this.#process = new CheckerProcess(onProgress);
  }

  follow(resumed: boolean, tenant?: string): SessionChecker {
    this.#sessions += 1;
    const session = this.#sessions;
    const names = new SessionNames(resumed);
    return {
      onlyWarns: this.#onlyWarns,
      check: async (program) => this.#check({ session, tenant, names }, program),
      lastFailed: () => names.loosenLast(),
    };
  }

  async warmUp(): Promise<void> {
    await this.#process.warmUp();
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #check(
    { session, tenant, names }: CheckedSession,
    { language, code, tools, interpreterVersion, signal }: CheckedProgram,
  ): Promise<ProgramRefusal | undefined> {
    // JavaScript shares its variables with TypeScript; other languages do not.
    if (language !== 'typescript' && language !== 'javascript') {
      names.add({ names: [], changed: [] });
      return undefined;
    }
    const { modules, hasUnknownNames } = names;
    const typed = language === 'typescript';
    const node = typed ? nodeLine(await interpreterVersion?.()) : undefined;
    const text = this.#declarations(tools);
    const request = { code, typed, node, tools: text, session, modules, hasUnknownNames };
    const answer = await this.#process.ask(request, { signal, tenant });
    if (answer === undefined) {
      names.addUnknown();
      return undefined;
    }
    const refusal = refusalOf(answer, code);
    if (refusal === undefined) names.add(answer);
    // It runs, but the compiler does not tell what a program with problems declares.
    else if (this.#onlyWarns) names.addUnknown();
    return refusal;
  }

  #declarations(tools: readonly Tool[]): string {
    const known = this.#texts.get(tools);
    if (known !== undefined) return known;
    const text = checkedDeclarations(tools);
    this.#texts.set(tools, text);
    return text;
  }
}
