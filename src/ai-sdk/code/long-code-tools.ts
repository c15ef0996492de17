import type { CodeAnswer } from '../../orchestrator/code/code-answer.ts';
import type { CodeEvent } from '../../orchestrator/code/code-event.ts';
import type { CodeTool } from '../../orchestrator/code/code-tool.ts';

/** How long the end of a program is kept for a model that has not read it. */
const KEPT_MS = 300_000;

interface Used {
  readonly codeTool: CodeTool;
  /** The calls that use it now. */
  calls: number;
  /** Whether it has a program whose end the model has not read. */
  hasProgram: boolean;
  /** Runs when that program has ended. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * The code tools of chats whose programs may outlast the calls that started them, by the keys of their
 * sessions: further calls of the chat find the program in them.
 */
export class LongCodeTools {
  readonly #used: Map<string, Used> = new Map();

  /**
   * Uses the code tool of a chat for a call.
   * @param create - Makes it, if the chat has none.
   * @param call - Passes the events of its program on, also when it has returned.
   */
  async use(
    key: string,
    create: () => CodeTool,
    call: (codeTool: CodeTool, onEvent: (event: CodeEvent) => void) => Promise<CodeAnswer>,
  ): Promise<CodeAnswer> {
    const known = this.#used.get(key);
    const used = known ?? { codeTool: create(), calls: 0, hasProgram: false, timer: undefined };
    this.#used.set(key, used);
    used.calls += 1;
    try {
      const answer = await call(used.codeTool, (event) => this.#see(event, key, used));
      if (answer.program !== undefined) used.hasProgram = true;
      if (answer.result !== undefined) used.hasProgram = false;
      return answer;
    } finally {
      used.calls -= 1;
      if (used.calls === 0 && !used.hasProgram) this.#forget(key, used);
    }
  }

  #see({ type }: CodeEvent, key: string, used: Used): void {
    if (type !== 'program-started' && type !== 'program-ended') return;
    clearTimeout(used.timer);
    // A program of an aborted call ends when its code tool may be forgotten already.
    if (type === 'program-started' || this.#used.get(key) !== used) return;
    used.timer = setTimeout(() => {
      // A call that uses it now forgets it at its end.
      used.hasProgram = false;
      if (used.calls === 0) this.#forget(key, used);
    }, KEPT_MS).unref();
  }

  #forget(key: string, used: Used): void {
    clearTimeout(used.timer);
    this.#used.delete(key);
  }
}
