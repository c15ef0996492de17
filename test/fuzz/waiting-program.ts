import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { CallLog } from '../../src/calls/call-log.ts';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { connect, request } from '../execution/fake-connection.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';

const AT_ONCE = 3;
/** As many as one program may have open. */
const OPEN_APPROVALS = 10;
/** Far more turns of the event loop than anything here takes that waits for nobody. */
export const MANY_TURNS = 2000;

/** Whom calls and their data can wait for. */
const GATES = ['listener', 'log', 'approver', 'tool', 'runner'] as const;
type Gate = (typeof GATES)[number];

/** What a program calls: a tool that anyone may call, one that somebody approves, and none. */
const TOOLS = ['act', 'approved', 'missing'] as const;

/** A program, and what it waits for. */
interface Scene {
  readonly calls: { readonly tool: (typeof TOOLS)[number]; readonly length: number }[];
  /** Those that let nobody through at first, in the order in which they open. */
  readonly closed: Gate[];
  /** After how many openings the program is aborted. */
  readonly abortsAfter: number | undefined;
}

export const scenes: fc.Arbitrary<Scene> = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom(...TOOLS),
      length: fc.constantFrom(0, 100, 70_000),
    }),
    { minLength: 1, maxLength: 16 },
  ),
  closed: fc.shuffledSubarray([...GATES]),
  abortsAfter: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
});

export async function settle(isDone: () => boolean = () => false, turns = 30): Promise<void> {
  for (let turn = 0; turn < turns && !isDone(); turn += 1) await nextTurn();
}

/** A program whose calls and results wait for others, and what was seen of it. */
export class WaitingProgram {
  /** How many calls the tool has begun, and how many it works on. */
  ran = 0;
  atWork = 0;
  asked = 0;
  undecided = 0;
  told = 0;
  recorded = 0;
  readonly answers: string[] = [];
  readonly stop: AbortController = new AbortController();
  readonly #gates: Map<Gate, Deferred<void>> = new Map();
  readonly #link = connect({ budgets: { concurrentToolCalls: AT_ONCE } });
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
    for (const gate of scene.closed) this.#gates.set(gate, createDeferred());
    const { runner } = this.#link;
    runner.onMessage = (message) => {
      if (message.kind === 'tool-result') this.answers.push(message.call_id);
    };
  }

  start(): Promise<unknown> {
    const run = async (): Promise<string> => {
      this.ran += 1;
      this.atWork += 1;
      await this.#pass('tool');
      this.atWork -= 1;
      return 'x'.repeat(1000);
    };
    const described = { description: 'Acts.', inputSchema: { type: 'object' }, run } as const;
    const tools = new ToolRegistry(
      ['act', 'approved'].map((name) => defineTool({ name, ...described })),
    );
    const approver = async (): Promise<{ approved: true }> => {
      this.asked += 1;
      this.undecided += 1;
      await this.#pass('approver');
      this.undecided -= 1;
      return { approved: true };
    };
    const policy = new PolicyGate({ rules: [{ tool: 'approved', action: 'ask' }], approver });
    const callLog: CallLog = {
      started: async () => {
        this.recorded += 1;
        await this.#pass('log');
      },
      ended: async () => {},
    };
    const onEvent = async ({ type }: ExecutionEvent): Promise<void> => {
      if (type !== 'tool-call-started') return;
      this.told += 1;
      await this.#pass('listener');
    };
    const { runner, connection } = this.#link;
    const own = { tools: tools.snapshot(), policy, callLog, onEvent, signal: this.stop.signal };
    const running = connection.execute(request(own));
    // It has read the program, and now reads no results.
    runner.taken = this.#gates.get('runner')?.promise;
    runner.say(
      ...this.#scene.calls.map(({ tool, length }, index) =>
        toolCall(`c${index}`, tool, { text: 'x'.repeat(length) }),
      ),
    );
    return running;
  }

  open(gate: Gate): void {
    this.#gates.get(gate)?.resolve();
    this.#gates.delete(gate);
    if (gate === 'runner') this.#link.runner.taken = undefined;
  }

  end(): void {
    this.#link.runner.say(outcome({ success: !this.stop.signal.aborted }));
  }

  /** What there is of the program in a place beyond the bound of that place. */
  get excess(): string[] {
    const isClosed = (gate: Gate): boolean => this.#gates.has(gate);
    const places: readonly (readonly [string, number, number])[] = [
      ['calls at work', this.atWork, AT_ONCE],
      ['undecided calls', this.undecided, OPEN_APPROVALS],
      // Calls that wait for their approval leave their places to others.
      ['told calls', isClosed('listener') ? this.told : 0, AT_ONCE + OPEN_APPROVALS],
      ['asked calls', isClosed('listener') ? this.asked : 0, OPEN_APPROVALS],
      ['recorded calls', isClosed('listener') ? this.recorded : 0, 0],
      ['calls in the log', isClosed('log') ? this.recorded : 0, AT_ONCE],
      ['calls that ran', isClosed('listener') || isClosed('log') ? this.ran : 0, 0],
      ['answers', isClosed('runner') && !this.stop.signal.aborted ? this.answers.length : 0, 0],
    ];
    return places.flatMap(([what, count, most]) =>
      count > most ? [`${count} ${what}, not ${most}`] : [],
    );
  }

  async #pass(gate: Gate): Promise<void> {
    await this.#gates.get(gate)?.promise;
  }
}
