import { randomBytes } from 'node:crypto';
import type { CodeTool } from '../../../orchestrator/code/code-tool.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { MAX_OF_CALLER } from '../calls/caller-calls.ts';
import { LatestCall } from '../calls/latest-call.ts';
import type { CodeSessions, SessionUse } from './code-sessions.ts';

interface NamedSession {
  readonly caller: string;
  readonly codeTool: CodeTool;
  readonly latestCall: LatestCall;
  /** Identifies the connection with which it ends, if there is one. */
  connection: object | undefined;
  uses: number;
  /** Whether a result has named it, so that later calls can continue it. */
  wasKept: boolean;
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
    return this.#use(caller, handle, undefined);
  }

  /** The same sessions for a connection. Those that it opens end when it closes them. */
  ofConnection(): CodeSessions {
    const connection = {};
    return {
      hasHandles: true,
      use: (caller, handle) => this.#use(caller, handle, connection),
      close: async () => this.#closeThoseOf(connection),
    };
  }

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(async ({ codeTool }) => codeTool.close()));
  }

  #use(caller: string, handle: unknown, connection: object | undefined): SessionUse | undefined {
    if (handle === undefined) {
      const created = this.#add(caller, connection);
      return this.#take(randomBytes(16).toString('base64url'), created);
    }
    const session = typeof handle === 'string' ? this.#sessions.get(handle) : undefined;
    if (typeof handle !== 'string' || session?.caller !== caller) return undefined;
    return this.#take(handle, session);
  }

  #take(handle: string, session: NamedSession): SessionUse {
    session.uses += 1;
    this.#sessions.delete(handle);
    this.#sessions.set(handle, session);
    const release = (isKept: boolean): void => {
      session.uses -= 1;
      session.wasKept ||= isKept;
      if (!session.wasKept && session.uses === 0) inBackground(this.#end(handle, session));
    };
    const { codeTool, latestCall } = session;
    return { codeTool, latestCall, handle, release };
  }

  #add(caller: string, connection: object | undefined): NamedSession {
    const own = [...this.#sessions].filter(([, session]) => session.caller === caller);
    if (own.length >= MAX_OF_CALLER) {
      // There is one: the call that opens the next session is one of at most as many calls.
      const unused = own.find(([, { uses }]) => uses === 0);
      if (unused !== undefined) inBackground(this.#end(...unused));
    }
    const latestCall = new LatestCall();
    return { caller, codeTool: this.#create(), latestCall, connection, uses: 0, wasKept: false };
  }

  async #closeThoseOf(connection: object): Promise<void> {
    const own = [...this.#sessions].filter(([, session]) => session.connection === connection);
    await Promise.all(
      own.map(async ([handle, session]) => {
        // Another connection of the caller may use it just now.
        if (session.uses > 0) session.connection = undefined;
        else await this.#end(handle, session);
      }),
    );
  }

  async #end(handle: string, { codeTool }: NamedSession): Promise<void> {
    this.#sessions.delete(handle);
    await codeTool.close();
  }
}
