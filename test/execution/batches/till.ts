import type { CallEvent } from '../../../src/calls/call-event.ts';
import type { ExecutionResult } from '../../../src/execution/execution.ts';
import type { ExecutionBudgets } from '../../../src/execution/limits/execution-budgets.ts';
import type { ProgramRequest } from '../../../src/execution/program-request.ts';
import type { ToolResultMessage } from '../../../src/protocol/messages.ts';
import type { JsonObject } from '../../../src/shared/json/json.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import type {
  ApprovalBatch,
  AskBatchOptions,
  BatchDecision,
} from '../../../src/tools/policy/batches/approval-batch.ts';
import { PolicyGate, type PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { toolCall, type FakeRunner } from '../../support/fake-runner.ts';
import { connect, request } from '../fake-connection.ts';

/** A batch that the approver got, and its decision. */
export interface AskedBatch extends AskBatchOptions {
  readonly batch: ApprovalBatch;
  readonly decide: (decision: BatchDecision) => void;
}

/**
 * A program on a runner in memory, whose calls of `pay` and `send` are asked together. The approver
 * decides when the test says so.
 */
export class Till {
  readonly runner: FakeRunner;
  readonly asked: AskedBatch[] = [];
  readonly paid: unknown[] = [];
  readonly events: CallEvent[] = [];
  readonly ended: Promise<ExecutionResult>;
  #next: Deferred<AskedBatch> | undefined;

  constructor(
    policy: Partial<PolicyOptions> = {},
    changes: Partial<ProgramRequest> = {},
    budgets: Partial<ExecutionBudgets> = {},
  ) {
    const properties = { amount: { type: 'number' } } as const;
    const inputSchema = { type: 'object', properties, required: ['amount'] } as const;
    const run = (input: unknown): number => this.paid.push(input);
    const tools = new ToolRegistry([
      { name: 'pay', description: 'Pays.', inputSchema, run },
      { name: 'send', description: 'Sends.', inputSchema, run },
      { name: 'hang', description: 'Hangs.', run: async () => createDeferred().promise },
    ]);
    const { runner, connection } = connect({ budgets });
    this.runner = runner;
    this.ended = connection.execute(
      request({
        tools: tools.snapshot(),
        code: 'the program',
        purpose: 'I pay.',
        policy: new PolicyGate({
          rules: [{ tool: ['pay', 'send'], action: 'ask', group: 'program', reason: 'money' }],
          approver: {
            ask: async () => ({ approved: false, reason: 'asked alone' }),
            askBatch: async (batch, options) => this.#ask(batch, options),
          },
          ...policy,
        }),
        onEvent: (event) => {
          const { type } = event;
          if (type !== 'output-delta' && type !== 'program-reported') this.events.push(event);
        },
        ...changes,
      }),
    );
  }

  /** The program calls a tool in a line that it says. */
  call(call_id: string, tool_name: string, sent: JsonObject, line: number): void {
    const kind = 'tool-call';
    this.runner.say({ kind, execution_id: '1', call_id, tool_name, arguments: sent, line });
  }

  /** The program calls `pay` with these amounts. */
  pay(...amounts: readonly number[]): void {
    for (const amount of amounts) this.runner.say(toolCall(`p${amount}`, 'pay', { amount }));
  }

  /** The program says that it waits. */
  waits(results: number = 0, certain: boolean = true): void {
    this.runner.say({ kind: 'waiting', execution_id: '1', results, certain });
  }

  /** The next batch of which the approver is asked. */
  async nextBatch(): Promise<AskedBatch> {
    const asked = this.asked.shift();
    if (asked !== undefined) return asked;
    this.#next = createDeferred();
    return this.#next.promise;
  }

  /** Resolves when the program has as many results as this. */
  async answered(count: number): Promise<void> {
    for (;;) {
      if (this.#answers.length >= count) return;
      await new Promise<void>((resolve) => {
        this.runner.onMessage = () => resolve();
      });
    }
  }

  /** The results that the program got, by the ids of their calls. */
  get results(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.#answers.map(({ call_id, error, result }) => [call_id, error?.type ?? result.text]),
    );
  }

  get #answers(): readonly ToolResultMessage[] {
    return this.runner.received.filter((message) => message.kind === 'tool-result');
  }

  async #ask(batch: ApprovalBatch, options: AskBatchOptions): Promise<BatchDecision> {
    return new Promise((decide) => {
      const asked = { batch, decide, ...options };
      if (this.#next === undefined) this.asked.push(asked);
      this.#next?.resolve(asked);
      this.#next = undefined;
    });
  }
}

/** The arguments of the calls of a batch. */
export function amountsOf({ batch }: AskedBatch): readonly unknown[] {
  return batch.requests.map(({ arguments: sent }) => (sent as { amount: number }).amount);
}
