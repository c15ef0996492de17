import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { scriptedModel } from '../../../src/models/scripted.ts';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import { codeTool, type CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { CodeToolOptions } from '../../../src/orchestrator/code/code-tool-options.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { useExecutors } from '../../sessions/support.ts';

const makeExecutor = useExecutors();

/** Slow enough that four calls are worth a hint, on any machine. */
const SLOW_MS = 350;

const inputSchema = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
} as const;

/** How far the clock of the host is ahead. */
let aheadMs = 0;
beforeAll(() => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
});
afterAll(() => {
  vi.restoreAllMocks();
});

function slowTool(wait: () => unknown): Tool<unknown, { id: string }> {
  return defineTool<{ id: string }>({
    name: 'get_order',
    description: 'Returns an order, and the id of the next one.',
    inputSchema,
    run: async ({ id }) => {
      await wait();
      return { id, total: 5.5, next: `${id}x` };
    },
  });
}

const tools = [
  slowTool(() => (aheadMs += SLOW_MS)),
  defineTool({
    name: 'get_status',
    description: 'Says how far it is.',
    run: () => 'not yet',
  }),
];

function makeTool(
  options: Partial<CodeToolOptions> = {},
  more: SandboxExecutorOptions = {},
): CodeTool {
  const { executor } = makeExecutor({ tools, ...more });
  return codeTool({ executor, ...options });
}

const IN_TURN = 'for id in ("k1", "k2", "k3", "k4"):\n    await get_order(id=id)\nprint("done")';
const HINT =
  /^done\n\[Hint: 4 calls of get_order, one after another, took \d+\.\d s, and no argument came from the result of another\. If they do not depend on each other, asyncio\.gather would have taken about \d+\.\d s\.\]$/;

it.each<[LanguageName, string, string]>([
  ['python', IN_TURN, 'asyncio.gather'],
  [
    'typescript',
    'for (const id of ["k1", "k2", "k3", "k4"]) await get_order({ id });',
    'Promise.all',
  ],
  [
    'javascript',
    'for (const id of ["k1", "k2", "k3", "k4"]) await get_order({ id });',
    'Promise.all',
  ],
  ['bash', 'for id in k1 k2 k3 k4; do get_order --id $id >/dev/null; done', 'with & and then wait'],
])(
  'a model whose program in %s makes slow calls one after another gets a hint',
  async (language, code, how) => {
    const tool = makeTool({}, { languages: [language] });
    const { text, isError } = await tool.execute({ code });
    expect(isError).toBe(false);
    expect(text).toContain('[Hint: 4 calls of get_order, one after another, took ');
    expect(text).toContain(`${how} would have taken about `);
  },
);

it('the hint is in the text, the result and the event of the end', async () => {
  const events: CodeEvent[] = [];
  const onEvent = (event: CodeEvent): void => void events.push(event);
  const { text, result } = await makeTool().execute({ code: IN_TURN }, { onEvent });
  expect(text).toMatch(HINT);
  expect(`done\n[Hint: ${result?.hint}]`).toBe(text);
  expect(events.at(-1)).toMatchObject({ type: 'program-ended', result: { hint: result?.hint } });
});

it.each([
  [
    'makes its calls at the same time',
    'import asyncio\nprint(len(await asyncio.gather(*(get_order(id=id) for id in ("k1", "k2", "k3", "k4")))))',
    { tools: [slowTool(async () => delay(SLOW_MS))] },
  ],
  [
    'needs each result for the next call',
    'id = "k1"\nfor _ in range(4):\n    id = (await get_order(id=id))["next"]\nprint(4)',
    {},
  ],
  ['makes few calls', 'for id in ("k1", "k2"):\n    await get_order(id=id)\nprint(4)', {}],
  [
    'has one call at a time in any case',
    'for id in ("k1", "k2", "k3", "k4"):\n    await get_order(id=id)\nprint(4)',
    { budgets: { concurrentToolCalls: 1 } },
  ],
])('a program that %s gives no hint', async (_what, code, more) => {
  const { text, result } = await makeTool({}, more).execute({ code });
  expect(text).toBe('4');
  expect(result).not.toHaveProperty('hint');
});

it('a call that was made many times is hinted at', async () => {
  const code = 'for _ in range(30):\n    await get_status()\nprint("done")';
  expect((await makeTool().execute({ code })).text).toBe(
    'done\n[Hint: get_status was called 30 times with equal arguments. Keep a result in a variable, unless you wait for it to change.]',
  );
});

it('an option turns hints off', async () => {
  const { text, result } = await makeTool({ hints: false }).execute({ code: IN_TURN });
  expect(text).toBe('done');
  expect(result).not.toHaveProperty('hint');
});

it('the hint comes beside the notes on output that is too long, and within the limit', async () => {
  const code = `${IN_TURN}\nprint("x" * 5000)`;
  const { text } = await makeTool({ maxResultBytes: 1500 }).execute({ code });
  expect(text).toMatch(/^\[This output is too long: of 5,\d{3} bytes/);
  expect(text).toMatch(/\[Hint: 4 calls of get_order, .*\]$/);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1500);
});

it('the model of a conversation gets the hint, unless the option turns it off', async () => {
  const { executor } = makeExecutor({ tools });
  for (const hints of [true, false]) {
    const model = scriptedModel([
      [{ type: 'tool-use', id: 't1', name: 'execute_code', input: { code: IN_TURN } }],
      [{ type: 'text', text: 'Done.' }],
    ]);
    await using orchestrator = new ProgrammaticToolOrchestrator({ model, executor, hints });
    const { text } = await orchestrator.run('Look at the orders.');
    expect(text).toBe('Done.');
    const told = JSON.stringify(orchestrator.messages);
    expect(told.includes('[Hint: 4 calls of get_order')).toBe(hints);
  }
});
