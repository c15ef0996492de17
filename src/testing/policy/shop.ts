import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditEntry, AuditLog } from '../../audit/entry.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { WayTool } from './way.ts';

/** The labels of all calls. */
export const LABELS = { shop: '1' } as const;

/** The limits of programs. */
export const BUDGETS = { toolCalls: 10, concurrentToolCalls: 2, callBytes: 1024 } as const;

/** What a tool got. A tool of another framework does not get the context. */
interface Ran {
  readonly tool: string;
  readonly input: unknown;
  readonly context: Partial<ToolContext>;
}

const INPUT = {
  type: 'object',
  properties: { amount: { type: 'integer' }, note: { type: 'string' } },
  required: ['amount'],
} as const;

/** Tools that note what they get, and an audit log in memory. */
export class Shop {
  readonly ran: Ran[] = [];
  readonly entries: AuditEntry[] = [];
  /** How many calls each batch had about which the approver was asked. */
  readonly batches: number[] = [];
  /** The most calls of `meet` that ran at a time. */
  mostAtOnce = 0;
  #meeting = 0;
  readonly #openSessions: Set<string> = new Set();

  readonly tools: readonly WayTool[] = [
    ...['pay', 'close', 'count', 'refund', 'sell', 'ship', 'order'].map((name) =>
      this.#tool(`shop:${name}`),
    ),
    { ...this.#tool('shop:book'), whenAsked: 'defer' },
    { ...this.#tool('shop:list'), annotations: { readOnlyHint: true } },
    { ...this.#tool('shop:meet'), run: async () => this.#meet() },
    { ...this.#tool('only_code'), allowedCallers: ['code'] },
    { ...this.#tool('only_direct'), allowedCallers: ['direct'] },
  ];

  readonly audit: AuditLog = {
    record: (entry) => {
      this.entries.push(structuredClone({ ...entry }));
      if (entry.type === 'session-opened') this.#openSessions.add(entry.sessionId);
      if (entry.type === 'session-closed') this.#openSessions.delete(entry.sessionId);
    },
    ready: () => undefined,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };

  /** The sessions that were opened and not closed. */
  get openSessions(): readonly string[] {
    return [...this.#openSessions];
  }

  forget(): void {
    this.ran.length = 0;
    this.entries.length = 0;
    this.batches.length = 0;
    this.mostAtOnce = 0;
  }

  #tool(name: string): WayTool {
    return {
      name,
      description: 'Notes what it gets.',
      inputSchema: INPUT,
      allowedCallers: ['code', 'direct'],
      run: (input, context = {}) => {
        this.ran.push({ tool: name, input: structuredClone(input), context });
        return (input as { readonly amount: number }).amount;
      },
    };
  }

  /** Stays until more calls than are allowed are there, or until they would have come. */
  async #meet(): Promise<number> {
    this.#meeting += 1;
    for (let turn = 0; turn < 300 && this.#meeting <= BUDGETS.concurrentToolCalls; turn += 1) {
      await nextTurn();
    }
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#meeting);
    this.#meeting -= 1;
    return this.mostAtOnce;
  }
}
