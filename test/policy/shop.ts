import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditEntry, AuditLog } from '../../src/audit/entry.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import type { Approval, ApproveFunction } from '../../src/tools/policy/approval.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** The labels of all calls. */
export const LABELS = { shop: '1' } as const;

/** The limits of programs. */
export const BUDGETS = { toolCalls: 10, concurrentToolCalls: 2, callBytes: 1024 } as const;

/** What a tool got. A tool that is not of this package does not get the rest. */
export interface Ran {
  readonly tool: string;
  readonly input: unknown;
  readonly context: Partial<ToolContext>;
}

type Run = (input: { readonly amount: number }, context: Partial<ToolContext>) => unknown;
export type ShopTool = Omit<ToolDefinition, 'run' | 'inputSchema'> & {
  readonly inputSchema: typeof INPUT;
  readonly run: Run;
};

const INPUT = {
  type: 'object',
  properties: { amount: { type: 'integer' }, note: { type: 'string' } },
  required: ['amount'],
} as const;

/** Tools that note what they get, and an audit log in memory: how it is written to a file is tested elsewhere. */
export class Shop {
  readonly ran: Ran[] = [];
  readonly entries: AuditEntry[] = [];
  /** The most calls of `meet` that ran at a time. */
  mostAtOnce = 0;
  #meeting = 0;
  readonly #closing: (() => Promise<unknown>)[] = [];

  /** Those whose names begin with `shop:`. */
  get goods(): readonly ShopTool[] {
    const names = ['pay', 'close', 'count', 'refund', 'sell'];
    return [
      ...names.map((name) => this.#tool(name)),
      { ...this.#tool('list'), annotations: { readOnlyHint: true } },
      { ...this.#tool('meet'), run: async () => this.#meet() },
    ];
  }

  /** One that only programs can call, and one that they cannot call. */
  get others(): readonly ShopTool[] {
    return (['code', 'direct'] as const).map((caller) => ({
      ...this.#tool(`only_${caller}`),
      allowedCallers: [caller],
    }));
  }

  /** All tools. */
  get tools(): readonly ToolDefinition[] {
    const goods = this.goods.map((tool) => ({ ...tool, name: `shop:${tool.name}` }));
    return [...goods, ...this.others] as readonly ToolDefinition[];
  }

  readonly audit: AuditLog = {
    record: (entry) => void this.entries.push(structuredClone({ ...entry })),
    ready: () => undefined,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };

  executor(options: SandboxExecutorOptions = {}): SandboxExecutor {
    const executor = new SandboxExecutor({
      provider: unisolatedLocalProvider(),
      tools: this.tools,
      audit: this.audit,
      budgets: BUDGETS,
      ...options,
    });
    return this.closesLater(executor);
  }

  /** Closes it with the shop, before what was there earlier. */
  closesLater<Closed extends { close(): Promise<unknown> }>(it: Closed): Closed {
    this.#closing.push(async () => it.close());
    return it;
  }

  forget(): void {
    this.ran.length = 0;
    this.entries.length = 0;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }

  #tool(name: string): ShopTool {
    return {
      name,
      description: 'Notes what it gets.',
      inputSchema: INPUT,
      allowedCallers: ['code', 'direct'],
      run: (input, context) => {
        this.ran.push({ tool: name, input, context });
        return input.amount;
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

export const RULES: readonly PolicyRule[] = [
  { tool: 'shop:close', action: 'deny', reason: 'not on Saturdays' },
  {
    tool: ['shop:pay', 'shop:sell'],
    when: ({ input }) => Number(input['amount']) > 100,
    action: 'deny',
    reason: 'too much',
  },
  {
    tool: 'shop:refund',
    when: ({ labels, input }) => labels['shop'] !== String(input['amount']),
    action: 'deny',
    reason: 'of another shop',
  },
  { tool: 'shop:*', annotations: { readOnlyHint: true }, action: 'allow' },
  { tool: ['shop:list', 'shop:count'], action: 'deny', reason: 'only reading' },
  { tool: 'shop:sell', action: 'ask', reason: 'a person looks' },
];

const DECISIONS: Readonly<Record<number, Approval>> = {
  1: { approved: true },
  2: { approved: false, reason: 'not this one' },
  3: { approved: true, arguments: { amount: 30 } },
  4: { approved: true, arguments: { amount: 'many' } },
  5: { approved: true, arguments: { amount: 500 } },
};

/** Decides by the amount. */
export const approver: ApproveFunction = async ({ arguments: sent }) =>
  DECISIONS[(sent as { amount: number }).amount] ?? { approved: false, reason: 'unknown' };
