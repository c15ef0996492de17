import { expect, it } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { useExecutors } from '../sessions/support.ts';

const makeExecutor = useExecutors();

/** A model that orders once from a program, then twice directly, in each run. */
function orderingModel(runs: number): ReturnType<typeof scriptedModel> {
  const turns = Array.from({ length: runs }, (_, run) => [
    [
      {
        type: 'tool-use' as const,
        id: `code${run}`,
        name: 'execute_code',
        input: { code: 'print(await order())' },
      },
    ],
    [1, 2].map((call) => ({
      type: 'tool-use' as const,
      id: `direct${run}${call}`,
      name: 'order',
      input: {},
    })),
    [{ type: 'text' as const, text: 'Done.' }],
  ]);
  return scriptedModel(turns.flat());
}

it.each([
  ['run', 4],
  ['session', 2],
] as const)(
  'programs and direct calls count together toward the limit of a %s',
  async (unit, ran) => {
    let orders = 0;
    const order = defineTool({
      name: 'order',
      description: 'Orders.',
      allowedCallers: ['code', 'direct'],
      maxCalls: { [unit]: 2 },
      run: () => (orders += 1),
    });
    const { executor } = makeExecutor({ tools: [order] });
    const refused: string[] = [];
    await using orchestrator = new ProgrammaticToolOrchestrator({
      model: orderingModel(2),
      executor,
    });
    for (const input of ['Order.', 'Order again.']) {
      await orchestrator.run(input, {
        onEvent: (event) => {
          if (event.type === 'tool-call-ended' && event.error) refused.push(event.error.message);
        },
      });
    }
    expect(orders).toBe(ran);
    expect(refused).toHaveLength(6 - ran);
    for (const message of refused) expect(message).toContain(`(maxCalls.${unit})`);
  },
);
