import { describe, expect, it } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { MemoryStore } from '../store/stores.ts';
import { texts } from '../store/shop.ts';
import { converse, runs, says } from '../support.ts';
import { useExecutors } from '../../sessions/support.ts';

interface Till {
  readonly paid: number[];
  readonly toolList: readonly ToolDefinition[];
  readonly policy: PolicyOptions;
}

/** Amounts from 100 on are rejected, and the tool fails for 13. */
function openTill(approver: PolicyOptions['approver'] = decide): Till {
  const paid: number[] = [];
  const pay: ToolDefinition = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'integer' } },
      required: ['amount'],
    },
    whenAsked: 'defer',
    run: (input) => {
      const { amount } = input as { amount: number };
      paid.push(amount);
      if (amount === 13) throw new Error('no coverage');
      return { paid: amount };
    },
  };
  const policy = {
    rules: [{ tool: 'pay', action: 'ask' }],
    ...(approver && { approver }),
    onDeferredFailure: 'continue',
  } as const;
  return { paid, toolList: [pay], policy };
}

const decide: PolicyOptions['approver'] = async (request) =>
  (request.arguments as { amount: number }).amount < 100
    ? { approved: true }
    : { approved: false, reason: 'too much' };

const PAYS = runs('for n in [1, 13, 100]: seen = await pay(amount=n)\nprint("all sent")', 'p');

const OUTCOMES = `all sent
[The tool calls that the program deferred, and what came of them:]
1. pay({"amount":1}): done, {"paid":1}
2. pay({"amount":13}): failed, Failed: no coverage
3. pay({"amount":100}): not made, Rejected: it was not approved: too much`;

const FAILS = runs('seen = await pay(amount=1)\nraise ValueError("no")', 'p');

describe('the model', () => {
  it('reads below the output what came of the calls that its program deferred', async () => {
    const { paid, toolList, policy } = openTill();
    const { orchestrator, results } = converse([PAYS, says('Done.')], { toolList, policy });
    await orchestrator.run('Pay.');
    expect(results(1)).toEqual([{ text: OUTCOMES, isError: false }]);
    expect(paid).toEqual([1, 13]);
  });

  it('reads that none was made if its program failed', async () => {
    const { paid, toolList, policy } = openTill();
    const { orchestrator, results } = converse([FAILS, says('Done.')], { toolList, policy });
    await orchestrator.run('Pay.');
    expect(results(1)).toEqual([
      {
        text: expect.stringMatching(
          /ValueError: no\n\[The program deferred 1 tool call \(pay 1\), of which none was made: Cancelled: the program did not end well\]$/,
        ),
        isError: true,
      },
    ]);
    expect(paid).toEqual([]);
  });

  it('reads in the documentation of the tool what a call may return', async () => {
    const { toolList, policy } = openTill();
    const { orchestrator, requests } = converse([says('Done.')], { toolList, policy });
    await orchestrator.run('Pay.');
    expect(requests[0]?.system).toContain(
      'If a person has to approve a call, it returns {"deferred": True, "number": …} at once',
    );
  });

  it('reads that a call is deferred while its program still runs, and later that it was made', async () => {
    const { paid, toolList, policy } = openTill();
    const opened = createDeferred<void>();
    const deferred = createDeferred<void>();
    const gate: ToolDefinition = { name: 'gate', description: 'Waits.', run: () => opened.promise };
    const { executor } = makeExecutor({ tools: [...toolList, gate], policy });
    await using code = codeTool({ executor, yieldAfterMs: 1 });
    const program = { code: 'seen = await pay(amount=1)\nseen = await gate()' };
    const onEvent = ({ type }: CodeEvent): void => {
      if (type === 'tool-call-deferred') deferred.resolve();
    };
    const first = await code.execute(program, { onEvent });
    await deferred.promise;
    const second = await code.execute({ program: first.program, wait_ms: 1 });
    expect(second.text).toContain('pay({"amount":1}): deferred until the program has ended');
    opened.resolve();
    const last = await code.execute({ program: first.program, wait_ms: 300_000 });
    expect(last.text).toContain('1. pay({"amount":1}): done, {"paid":1}');
    expect(paid).toEqual([1]);
  });

  it('reads the same with codeTool', async () => {
    const { toolList: tools, policy } = openTill();
    const { executor } = makeExecutor({ tools, policy });
    await using code = codeTool({ executor });
    const [use] = PAYS;
    if (use?.type !== 'tool-use') throw new Error('The model calls a tool.');
    const { text, isError, result } = await code.execute(use.input);
    expect({ text, isError }).toEqual({ text: OUTCOMES, isError: false });
    expect(result?.deferred).toHaveLength(3);
  });
});

const makeExecutor = useExecutors();

it('a conversation whose process is killed repeats no deferred call and loses none', async () => {
  const store = new MemoryStore();
  const { toolList, policy } = openTill();
  const program = runs('for n in [1, 2]: seen = await pay(amount=n)', 'p');
  await converse([program, says('Done.')], { toolList, policy, store }).orchestrator.run('Pay.');
  const entries = [...store.entries];
  const types = entries.map(({ type }) => type);
  expect(types.filter((type) => type.startsWith('tool-call'))).toEqual([
    'tool-call-deferred',
    'tool-call-deferred',
    'tool-call-started',
    'tool-call-ended',
    'tool-call-started',
    'tool-call-ended',
  ]);
  const first = types.indexOf('tool-call-deferred');
  const not = 'deferred, and not made by then';
  const unknown = 'it is not known whether this was done';
  const said = [
    [not],
    [not, not],
    [not, unknown],
    ['done, {"paid":1}', not],
    ['done, {"paid":1}', unknown],
    ['done, {"paid":1}', 'done, {"paid":2}'],
  ];
  for (const [index, expected] of said.entries()) {
    const cut = new MemoryStore(entries.slice(0, first + index + 1));
    const { paid, ...options } = openTill();
    const { orchestrator, requests } = converse([says('I see.')], { ...options, store: cut });
    await orchestrator.run('Go on.');
    const text = texts(requests[0]?.messages ?? []);
    const lines = text.split('\n').filter((line) => line.startsWith('pay('));
    expect(lines.map((line) => line.replace(/^.*?\): /, ''))).toEqual(expected);
    expect(paid).toEqual([]);
  }
});
