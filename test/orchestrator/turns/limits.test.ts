import { describe, expect, it } from 'vitest';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

/** A tool that counts how often it was run. */
function counted(errorDetails: 'message' | 'none' = 'message'): {
  readonly tool: ToolDefinition;
  readonly paid: () => number;
} {
  let paid = 0;
  const run = (): string => {
    paid += 1;
    return 'paid';
  };
  const allowedCallers = ['code', 'direct'] as const;
  return {
    tool: { name: 'pay', description: 'Pays.', allowedCallers, errorDetails, run },
    paid: () => paid,
  };
}

describe('maxToolCalls', () => {
  it.each(['message', 'none'] as const)(
    'refuses calls of a program beyond it, and ends the run when the program has ended (%s)',
    async (errorDetails) => {
      const { tool, paid } = counted(errorDetails);
      const { orchestrator, requests } = converse(
        [runs('for i in range(5):\n  print(i, await pay())'), says('Never said.')],
        { toolList: [tool], maxToolCalls: 3 },
      );
      expect(await refusalOf(orchestrator.run('Pay.'))).toMatchObject({
        code: 'RUN_LIMIT',
        message:
          'The run asked for 4 tool calls, and maxToolCalls is 3. Run again to continue, or raise maxToolCalls.',
        details: { limit: 'maxToolCalls', value: 3, used: 4 },
      });
      expect(paid()).toBe(3);
      expect(requests).toHaveLength(1);
      const last = JSON.stringify(orchestrator.messages.at(-1));
      expect(last).toContain('2 paid');
      expect(last).toContain('this run has already made its 3 tool calls');
    },
  );

  it('counts direct calls too, and does not end a run that has just as many', async () => {
    const { tool, paid } = counted();
    const { orchestrator } = converse(
      [[uses('pay', {}, 'a'), uses('pay', {}, 'b')], says('Paid.')],
      {
        toolList: [tool],
        maxToolCalls: 2,
      },
    );
    expect((await orchestrator.run('Pay.')).text).toBe('Paid.');
    expect(paid()).toBe(2);
  });

  it('is for each run: the next one goes on, with the session as it was', async () => {
    const { tool, paid } = counted();
    const { orchestrator, results } = converse(
      [runs('x = await pay()\nawait pay()'), runs('print(x, await pay())'), says('Paid.')],
      { toolList: [tool], maxToolCalls: 1 },
    );
    await refusalOf(orchestrator.run('Pay.'));
    expect((await orchestrator.run('Go on.')).text).toBe('Paid.');
    expect(results(2)).toEqual([{ text: 'paid paid', isError: false }]);
    expect(paid()).toBe(2);
  });

  it.each(['direct', 'code'] as const)(
    'counts what the approver is asked about, and asks about no more (%s calls)',
    async (caller) => {
      const { tool, paid } = counted();
      const asked: string[] = [];
      const calls = ['a', 'b', 'c', 'd'].map((id) => uses('pay', {}, id));
      const program =
        'for i in range(4):\n  try: print(await pay())\n  except ToolError as e: print(e)';
      const { orchestrator } = converse([caller === 'code' ? runs(program) : calls], {
        toolList: [tool],
        maxToolCalls: 2,
        policy: {
          rules: [{ tool: 'pay', action: 'ask' }],
          approver: async ({ callId }) => {
            asked.push(callId);
            return asked.length === 1
              ? { approved: true }
              : { approved: false, reason: 'enough was paid' };
          },
        },
      });
      const error = await refusalOf(orchestrator.run('Pay.'));
      expect(error.details).toMatchObject({ limit: 'maxToolCalls', value: 2, used: 4 });
      expect([asked.length, paid()]).toEqual([2, 1]);
      const answers = JSON.stringify(orchestrator.messages.at(-1));
      expect(answers).toContain('enough was paid');
      expect(answers).toContain('this run has already made its 2 tool calls');
    },
  );

  it.each(['rejects', 'fails', 'does not answer'] as const)(
    'counts a call with the id of one that was not approved, as its approver %s',
    async (answer) => {
      const { tool, paid } = counted();
      const ids: string[] = [];
      const asking = { name: 'ask', description: 'Asks.', run: () => 'asked' };
      const counting: ToolDefinition = {
        ...tool,
        run: (input, context) => {
          ids.push(context.callId);
          return tool.run(input, context);
        },
      };
      const inTypeScript = 'for (let i = 0; i < 2; i++) console.log(await pay());';
      const { orchestrator } = converse(
        [
          runs('try: await ask()\nexcept ToolError: pass', 'a'),
          [uses('execute_code', { language: 'typescript', code: inTypeScript }, 'b')],
          says('Never said.'),
        ],
        {
          languages: ['python', 'typescript'],
          toolList: [asking, counting],
          maxToolCalls: 2,
          policy: {
            rules: [{ tool: 'ask', action: 'ask' }],
            approvalTimeoutMs: answer === 'does not answer' ? 1 : 300_000,
            approver: async ({ callId }) => {
              ids.push(callId);
              if (answer === 'does not answer') return new Promise(() => {});
              if (answer === 'fails') throw new Error('No.');
              return { approved: false, reason: 'No.' };
            },
          },
        },
      );
      const error = await refusalOf(orchestrator.run('Pay.'));
      expect(error.details).toMatchObject({ limit: 'maxToolCalls', value: 2, used: 3 });
      expect(paid()).toBe(1);
      // Otherwise, this test would show nothing.
      expect(ids[1]).toBe(ids[0]);
    },
  );

  it('of 0 has no tool run', async () => {
    const { tool, paid } = counted();
    const { orchestrator } = converse([[uses('pay', {})]], { toolList: [tool] });
    const error = await refusalOf(orchestrator.run('Pay.', { maxToolCalls: 0 }));
    expect(error.details).toMatchObject({ limit: 'maxToolCalls', value: 0, used: 1 });
    expect(paid()).toBe(0);
  });
});

describe('maxTotalTokens', () => {
  it('ends the run before more is done, and the next run goes on', async () => {
    const { tool, paid } = counted();
    const { orchestrator, requests } = converse(
      [[uses('pay', {}, 'a')], [uses('pay', {}, 'b')], says('Paid.')],
      { toolList: [tool] },
    );
    const error = await refusalOf(orchestrator.run('Pay.', { maxTotalTokens: 10 }));
    expect(error).toMatchObject({
      code: 'RUN_LIMIT',
      message: expect.stringMatching(
        /^The run took \d+ tokens, and maxTotalTokens is 10\. Run again/,
      ),
      details: { limit: 'maxTotalTokens', value: 10, transcript: expect.any(Array) },
    });
    expect(requests).toHaveLength(1);
    expect(paid()).toBe(0);
    expect(JSON.stringify(orchestrator.messages.at(-1))).toContain('this call was not run');
    expect(orchestrator.usage.inputTokens).toBeGreaterThan(0);
    expect((await orchestrator.run('Go on.')).text).toBe('Paid.');
  });

  it('does not take away an answer that is there', async () => {
    const { orchestrator } = converse([says('Yes.')]);
    expect((await orchestrator.run('Well?', { maxTotalTokens: 1 })).text).toBe('Yes.');
  });

  it('leaves nothing of the run to a conversation that keeps nothing of failed runs', async () => {
    const { orchestrator } = converse([[uses('pay', {}, 'a')]], {
      toolList: [counted().tool],
      maxTotalTokens: 10,
      onFailure: 'discard',
    });
    expect((await refusalOf(orchestrator.run('Pay.'))).code).toBe('RUN_LIMIT');
    expect(orchestrator.messages).toEqual([]);
  });
});

describe('maxCost', () => {
  const turns = [[uses('pay', {}, 'a')], [uses('pay', {}, 'b')], says('Paid.')];

  it('ends the run at what its model calls cost', async () => {
    const { tool, paid } = counted();
    const priced: unknown[] = [];
    const { orchestrator } = converse(turns, {
      toolList: [tool],
      maxCost: 0.5,
      priceOf: ({ inputTokens, outputTokens }, model) => {
        priced.push([model, inputTokens > 0, outputTokens > 0]);
        return 0.3;
      },
    });
    expect(await refusalOf(orchestrator.run('Pay.'))).toMatchObject({
      code: 'RUN_LIMIT',
      message: 'The run cost 0.6, and maxCost is 0.5. Run again to continue, or raise maxCost.',
      details: { limit: 'maxCost', value: 0.5, used: 0.6 },
    });
    expect(priced).toEqual([
      ['scripted', true, true],
      ['scripted', true, true],
    ]);
    expect(paid()).toBe(1);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('No list.');
      },
      'RUN_FAILED',
      'priceOf threw: No list.',
    ],
    [
      'gives NaN',
      () => Number.NaN,
      'OPTION_INVALID',
      'priceOf must return a number of at least 0, not NaN.',
    ],
    ['gives less than nothing', () => -1, 'OPTION_INVALID', 'at least 0'],
  ])('with a function that %s ends the run', async (_, priceOf, code, message) => {
    const { orchestrator } = converse(turns, { toolList: [counted().tool], maxCost: 1, priceOf });
    expect(await refusalOf(orchestrator.run('Pay.'))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('may have its prices from the conversation', async () => {
    const { orchestrator } = converse([says('Yes.')], { priceOf: () => 1 });
    expect((await orchestrator.run('Well?', { maxCost: 2 })).text).toBe('Yes.');
  });
});

describe('an invalid limit', () => {
  it.each<[Partial<OrchestratorOptions>, string]>([
    [{ maxToolCalls: -1 }, 'maxToolCalls'],
    [{ maxToolCalls: 1.5 }, 'maxToolCalls'],
    [{ maxTotalTokens: 0 }, 'maxTotalTokens'],
    [{ maxCost: 0, priceOf: () => 1 }, 'maxCost'],
    [{ maxCost: Number.NaN, priceOf: () => 1 }, 'maxCost'],
    [{ maxCost: 1 }, 'priceOf'],
    [{ priceOf: 7 as never }, 'priceOf'],
    [{ maxRetries: -1 }, 'maxRetries'],
    [{ stopWhen: 'now' as never }, 'stopWhen'],
    [{ prepareTurn: {} as never }, 'prepareTurn'],
    [{ summarize: 'no' as never }, 'summarize'],
  ])('%j is OPTION_INVALID', async (options, name) => {
    const { orchestrator } = converse([says('Yes.')]);
    expect(await refusalOf(orchestrator.run('Well?', options))).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(name),
    });
  });
});
