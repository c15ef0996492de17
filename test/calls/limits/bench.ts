import { randomUUID } from 'node:crypto';
import { invokeTool } from '../../../src/calls/invoke-tool.ts';
import { CallCounter } from '../../../src/calls/limits/call-counter.ts';
import type { ToolInvocation } from '../../../src/calls/tool-invocation.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import type { CallDecision } from '../../../src/tools/policy/call-gate.ts';
import { PolicyGate, type PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { callingUnit, callOrigin } from '../../support/call-origin.ts';

/** What a tool says that writes, and writes once more with each call. */
export const WRITES = { readOnlyHint: false, idempotentHint: false };

/** A caller of the tool `order`. */
export type Order = (input?: unknown, changes?: Partial<ToolInvocation>) => Promise<string>;

/** A tool `order`, and what came of its calls. */
export class OrderBench {
  readonly ran: unknown[] = [];
  readonly decisions: CallDecision[] = [];
  readonly #tools: ToolRegistry;
  readonly #gate: PolicyGate | undefined;

  constructor(definition: Partial<ToolDefinition> = {}, policy?: PolicyOptions) {
    this.#tools = new ToolRegistry([
      {
        name: 'order',
        description: 'Orders.',
        inputSchema: { type: 'object' },
        run: (input) => {
          this.ran.push(input);
          return 'ordered';
        },
        ...definition,
      },
    ]);
    this.#gate = policy && new PolicyGate(policy);
  }

  /** The calls of a new program. */
  program(runId: string = randomUUID(), sessionId: string = randomUUID()): Order {
    return this.#caller(CallCounter.ofProgram({ runId, sessionId }), 'code');
  }

  /** Direct calls of a model. */
  direct(runId: string = randomUUID(), sessionId: string = randomUUID()): Order {
    return this.#caller(CallCounter.ofDirectCalls({ runId, sessionId }), 'direct');
  }

  #caller(counter: CallCounter, caller: 'code' | 'direct'): Order {
    const policy = this.#gate?.callGate(callingUnit());
    return async (input = {}, changes = {}) => {
      const outcome = await invokeTool(this.#tools, {
        toolName: 'order',
        arguments: input,
        caller,
        callId: randomUUID(),
        counter,
        origin: callOrigin(),
        signal: new AbortController().signal,
        policy,
        onDecision: (decision) => this.decisions.push(decision),
        ...changes,
      });
      if (outcome.ok) return 'ok';
      return `${outcome.failure.type}: ${outcome.failure.message}`;
    };
  }
}

/** Makes calls one after another, and returns what came of them. */
export async function inTurn(count: number, call: (index: number) => Promise<string>) {
  const outcomes: string[] = [];
  for (let index = 0; index < count; index += 1) outcomes.push(await call(index));
  return outcomes;
}
