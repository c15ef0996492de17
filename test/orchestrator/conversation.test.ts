import { describe, expect, it } from 'vitest';
import { converse, refusalOf, runs, says, uses } from './support.ts';

const orders = Array.from({ length: 50 }, (_, i) => ({
  id: i,
  total: i * 10,
  note: 'CANARY-7f3a',
}));
const listOrders = { name: 'list_orders', description: 'Lists orders.', run: () => orders };

describe('a run', () => {
  it('runs the model’s code, gives it the output, and ends with its answer', async () => {
    const { orchestrator, requests, results } = converse(
      [
        runs('orders = await list_orders()\nprint(sum(o["total"] for o in orders))'),
        says('The sum is 12250.'),
      ],
      { toolList: [listOrders] },
    );
    const result = await orchestrator.run('What is the sum of all orders?');
    expect(result).toMatchObject({ text: 'The sum is 12250.', turns: 2, toolCalls: 1 });
    expect(results(1)).toEqual([{ text: '12250', isError: false }]);
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(result.savings.directTokens).toBeGreaterThan(result.savings.contextTokens);
    expect(requests).toHaveLength(2);
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('lets only what the code prints into the context, however large the tools’ results [case 112]', async () => {
    const { orchestrator, requests } = converse(
      [
        runs(
          'orders = await list_orders()\nbig = [o for o in orders if o["total"] > 400]\nprint(len(big))',
        ),
        runs('import asyncio\nawait asyncio.gather(list_orders(), list_orders())\nlen(big)'),
        says('Nine.'),
      ],
      { toolList: [listOrders] },
    );
    const result = await orchestrator.run('How many are over 400?');
    expect(JSON.stringify(requests)).not.toContain('CANARY-7f3a');
    expect(JSON.stringify(result.messages)).not.toContain('CANARY-7f3a');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('"9"');
  });

  it('keeps the state of one session over all its programs and over later runs', async () => {
    const { orchestrator, provider, results } = converse([
      runs('x = 1'),
      runs('x += 1\nprint(x)'),
      says('Two.'),
      runs('x += 1\nprint(x)'),
      says('Three.'),
    ]);
    await orchestrator.run('Count.');
    const { id } = (await orchestrator.sessionInfo()) ?? {};
    await orchestrator.run('Go on.');
    expect(results(2)).toEqual([{ text: '2', isError: false }]);
    expect(results(4)).toEqual([{ text: '3', isError: false }]);
    expect(provider.created.size).toBe(1);
    expect(await orchestrator.sessionInfo()).toMatchObject({ id, programs: 3 });
  });

  it('runs parallel programs of one turn one after the other, in one session', async () => {
    const { orchestrator, provider, results } = converse([
      [...runs('first = "set by the first"', 'a'), ...runs('print(first)', 'b')],
      says('Done.'),
    ]);
    await orchestrator.run('Do both.');
    expect(results(1)).toEqual([
      { text: '(The program ended without printing anything.)', isError: false },
      { text: 'set by the first', isError: false },
    ]);
    expect(provider.created.size).toBe(1);
  });

  it('starts no sandbox if the model runs no code', async () => {
    const { orchestrator, provider } = converse([says('Hello.')]);
    expect((await orchestrator.run('Hi.')).text).toBe('Hello.');
    expect(await orchestrator.sessionInfo()).toBeUndefined();
    expect(provider.created.size).toBe(0);
  });

  it('tells the model of a failure: the error flag, what was printed before, its line', async () => {
    const { orchestrator, results } = converse([
      runs('print("partial")\nvalue = 1\nraise ValueError("bad row")'),
      runs('import sys\nprint("out")\nprint("warned", file=sys.stderr)'),
      says('I see.'),
    ]);
    await orchestrator.run('Try.');
    const [failure] = results(1);
    expect(failure?.isError).toBe(true);
    expect(failure?.text).toMatch(/^partial\n/);
    expect(failure?.text).toContain('line 3');
    expect(failure?.text).toContain('raise ValueError("bad row")');
    expect(failure?.text).toContain('ValueError: bad row');
    expect(results(2)).toEqual([{ text: 'out\n[stderr]\nwarned', isError: false }]);
  });

  it('tells the model that its interpreter is lost, and goes on in a new session', async () => {
    const { orchestrator, results, provider } = converse([
      runs('x = 1\nimport os\nos._exit(3)'),
      runs('print("x" in globals())'),
      says('Gone.'),
    ]);
    await orchestrator.run('Crash.');
    expect(results(1)).toMatchObject([
      { isError: true, text: expect.stringContaining('The session has ended') },
    ]);
    expect(results(2)).toEqual([{ text: 'False', isError: false }]);
    expect(provider.created.size).toBe(2);
  });

  it('tells the model that its session expired between two runs [case 108]', async () => {
    const { orchestrator, results } = converse(
      [runs('x = 1'), says('Set.'), runs('print("x" in globals())'), says('Gone.')],
      { executor: { sessionIdleTimeoutMs: 300 } },
    );
    await orchestrator.run('Set x.');
    await expect.poll(async () => orchestrator.sessionInfo()).toBeUndefined();
    await orchestrator.run('And now?');
    const [result] = results(3);
    expect(result?.text).toMatch(/^False\n.*session was new/);
  });

  it('cuts what is too long for the context and says how to see the rest [case 112, waiting/answer-results]', async () => {
    const { orchestrator, results } = converse([
      runs('print("begin")\nprint("x" * 200_000)\nprint("end")'),
      says('Long.'),
    ]);
    await orchestrator.run('Print a lot.');
    const [result] = results(1);
    expect(result?.text.length).toBeLessThan(50_000);
    expect(result?.text).toMatch(
      /^\[This output is too long: .*\]\nbegin\nx+\n\[… .* left out here …\]\nx+\nend\n/,
    );
    expect(result?.text).toMatch(
      /\/tmp\/full-output\/1\.txt: read the parts that you need in a program\.\]$/,
    );
  });

  it('answers invalid calls of the model, and continues [case 111]', async () => {
    const { orchestrator, results } = converse(
      [
        [
          uses('execute_code', undefined, 'malformed'),
          uses('execute_code', { program: 'x' }, 'no code'),
          uses('execute_code', { code: 5 }, 'no text'),
          uses('launch_rocket', {}, 'unknown'),
          uses('list_orders', {}, 'only code may'),
          ...runs('print("fine")', 'fine'),
        ],
        says('Sorry.'),
      ],
      { toolList: [listOrders] },
    );
    await orchestrator.run('Go.');
    expect(results(1)).toMatchObject([
      { isError: true, text: expect.stringContaining('not a JSON object') },
      { isError: true, text: expect.stringContaining('`code`') },
      { isError: true, text: expect.stringContaining('`code`') },
      { isError: true, text: 'There is no tool named launch_rocket.' },
      { isError: true, text: 'There is no tool named list_orders.' },
      { isError: false, text: 'fine' },
    ]);
  });
});

describe('tools and modes', () => {
  const weather = {
    name: 'weather:now',
    description: 'The weather.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    allowedCallers: ['direct', 'code'] as const,
    run: (input: unknown) => ({ city: (input as { city: string }).city, sky: 'clear' }),
  };
  const pay = {
    name: 'pay',
    description: 'Pays.',
    allowedCallers: ['direct'] as const,
    run: () => {
      throw new Error('no funds');
    },
  };
  const toolList = [weather, pay, listOrders];

  it.each([
    ['programmatic', ['execute_code'], true],
    ['direct', ['weather_now', 'pay'], false],
    ['hybrid', ['execute_code', 'weather_now', 'pay'], true],
  ] as const)('mode %s offers its tools and no others', async (mode, names, hasCode) => {
    const { orchestrator, requests } = converse([says('OK.')], { mode, toolList });
    await orchestrator.run('Hi.');
    const [request] = requests;
    expect(request?.tools.map(({ name }) => name)).toEqual(names);
    expect(request?.system.includes('list_orders')).toBe(hasCode);
    expect(request?.system.includes('pay')).toBe(false);
  });

  it('hybrid is the default, and instructions come first', async () => {
    const { orchestrator, requests } = converse([says('OK.')], {
      toolList,
      instructions: 'Be brief.',
    });
    await orchestrator.run('Hi.');
    expect(requests[0]?.tools).toHaveLength(3);
    expect(requests[0]?.system).toMatch(/^Be brief\.\n/);
  });

  it('direct tools are answered, failures and wrong arguments included', async () => {
    const { orchestrator, results, provider } = converse(
      [
        [
          uses('weather_now', { city: 'Oslo' }, 'a'),
          uses('pay', {}, 'b'),
          uses('weather_now', { town: 'Oslo' }, 'c'),
        ],
        says('Clear.'),
      ],
      { toolList },
    );
    const result = await orchestrator.run('Weather?');
    expect(results(1)).toMatchObject([
      { isError: false, text: '{"city":"Oslo","sky":"clear"}' },
      { isError: true, text: 'Failed: no funds' },
      { isError: true, text: expect.stringMatching(/^InvalidArguments: .*city/s) },
    ]);
    expect(result.toolCalls).toBe(3);
    expect(provider.created.size).toBe(0);
  });

  it('a mode without code refuses code, and one without direct tools refuses those', async () => {
    const direct = converse([runs('print(1)'), says('OK.')], { mode: 'direct', toolList });
    await direct.orchestrator.run('Go.');
    expect(direct.results(1)).toMatchObject([{ isError: true }]);
    expect(direct.provider.created.size).toBe(0);
    const programmatic = converse([[uses('pay', {})], says('OK.')], {
      mode: 'programmatic',
      toolList,
    });
    await programmatic.orchestrator.run('Go.');
    expect(programmatic.results(1)).toMatchObject([{ isError: true }]);
  });

  it.each(['direct', 'hybrid'] as const)(
    'in the mode %s, a direct tool with the name of that for code is refused before the model is asked',
    async (mode) => {
      const tool = { name: 'execute_code', description: 'Runs.', run: () => 'own' };
      const { orchestrator, provider, requests } = converse([runs('print(1)'), says('OK.')], {
        mode,
        toolList: [{ ...tool, allowedCallers: ['direct'] }],
      });
      expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({ code: 'TOOL_NAME_CLASH' });
      expect(requests).toEqual([]);
      expect(provider.created.size).toBe(0);
    },
  );

  it('a tool that is registered between runs is in the next run’s prompt and code', async () => {
    const { orchestrator, requests, results } = converse([
      runs('1'),
      says('One.'),
      runs('print(await later())'),
      says('Two.'),
    ]);
    await orchestrator.run('First.');
    orchestrator.registerTool({ name: 'later', description: 'Came later.', run: () => 'here' });
    await orchestrator.run('Second.');
    expect(requests[0]?.system).not.toContain('Came later.');
    expect(requests[2]?.system).toContain('Came later.');
    expect(results(3)).toEqual([{ text: 'here', isError: false }]);
  });

  it('the prompt and the tools are the same in every request, so that they can be cached', async () => {
    const { orchestrator, requests } = converse([runs('1'), runs('2'), says('OK.')], { toolList });
    await orchestrator.run('Hi.');
    const fixed = requests.map(({ system, tools }) => JSON.stringify([system, tools]));
    expect(new Set(fixed).size).toBe(1);
  });
});
