import { randomBytes } from 'node:crypto';
import type { CodeTool } from '../../orchestrator/code/code-tool.ts';
import { inBackground } from '../../shared/async/background.ts';
import { PtcError } from '../../shared/errors.ts';
import type { CodeSessions, SessionUse } from './code-sessions.ts';

/** How many sessions one caller has at most. */
const MAX_SESSIONS = 100;

interface NamedSession {
  readonly caller: string;
  readonly codeTool: CodeTool;
  uses: number;
}

/**
 * Sessions by their handles, which cannot be guessed. If a caller opens more than 100, the one that it
 * has not used for longest ends.
 */
export class NamedSessions implements CodeSessions {
  readonly hasHandles = true;
  readonly #create: () => CodeTool;
  /** By handle, in the order of their last use. */
  readonly #sessions: Map<string, NamedSession> = new Map();

  constructor(create: () => CodeTool) {
    this.#create = create;
  }

  use(caller: string, handle: unknown): SessionUse | undefined {
    if (handle === undefined)
      return this.#take(randomBytes(16).toString('base64url'), this.#add(caller));
    const session = typeof handle === 'string' ? this.#sessions.get(handle) : undefined;
    if (typeof handle !== 'string' || session?.caller !== caller) return undefined;
    return this.#take(handle, session);
  }

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(async ({ codeTool }) => codeTool.close()));
  }

  #take(handle: string, session: NamedSession): SessionUse {
    session.uses += 1;
    this.#sessions.delete(handle);
    this.#sessions.set(handle, session);
    const release = (isKept: boolean): void => {
      session.uses -= 1;
      if (!isKept && session.uses === 0) this.#end(handle, session);
    };
    return { codeTool: session.codeTool, handle, release };
  }

  #add(caller: string): NamedSession {
    const own = [...this.#sessions].filter(([, session]) => session.caller === caller);
    if (own.length >= MAX_SESSIONS) {
      const unused = own.find(([, { uses }]) => uses === 0);
      if (unused === undefined) {
        const message = `This caller has ${MAX_SESSIONS} sessions in which programs run. Try again when one has ended.`;
        throw new PtcError('SANDBOX_LIMIT', message);
      }
      this.#end(...unused);
    }
    return { caller, codeTool: this.#create(), uses: 0 };
  }

  #end(handle: string, { codeTool }: NamedSession): void {
    this.#sessions.delete(handle);
    inBackground(codeTool.close());
  }
}
