import { expect, it } from 'vitest';
import type { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { uniqueKey } from '../support/unique-key.ts';
import { useExecutors } from './support.ts';

const makeExecutor = useExecutors();

const order = defineTool({
  name: 'order',
  description: 'Orders.',
  maxCalls: { session: 2 },
  run: () => 'ordered',
});

const ORDER = `
try:
    print(await order())
except ToolError as error:
    print(error.type)
`;

async function orderIn(executor: SandboxExecutor, sessionKey: string): Promise<string> {
  return (await executor.execute(ORDER, { sessionKey })).stdout.trim();
}

it('the limit of a session holds over its programs, and for each session by itself', async () => {
  const { executor } = makeExecutor({ tools: [order] });
  const [one, other] = [uniqueKey('limits'), uniqueKey('limits')];
  const outcomes = [];
  for (let index = 0; index < 3; index += 1) outcomes.push(await orderIn(executor, one));
  expect(outcomes).toEqual(['ordered', 'ordered', 'LimitReached']);
  expect(await orderIn(executor, other)).toBe('ordered');
});

it('a program that ends its interpreter gets no more calls in the next sandbox', async () => {
  const { executor } = makeExecutor({ tools: [order] });
  const key = uniqueKey('limits');
  const code = 'await order()\nawait order()\nimport os; os._exit(1)';
  const { sessionOpen } = await executor.execute(code, { sessionKey: key });
  expect(sessionOpen).toBe(false);
  expect(await orderIn(executor, key)).toBe('LimitReached');
});

it('a session that the host closed begins anew', async () => {
  const { executor } = makeExecutor({ tools: [order] });
  const key = uniqueKey('limits');
  for (let index = 0; index < 3; index += 1) await orderIn(executor, key);
  await executor.closeSession({ key });
  expect(await orderIn(executor, key)).toBe('ordered');
});

it('a limit of a run holds over the programs that name its id', async () => {
  const limited = defineTool({
    name: 'order',
    description: 'Orders.',
    maxCalls: { run: 1 },
    run: () => 'ordered',
  });
  const { executor } = makeExecutor({ tools: [limited] });
  await using session = await executor.acquire();
  const runId = uniqueKey('limits');
  const outcomes = [];
  for (const id of [runId, runId, uniqueKey('limits')]) {
    outcomes.push((await session.execute(ORDER, { runId: id })).stdout.trim());
  }
  expect(outcomes).toEqual(['ordered', 'LimitReached', 'ordered']);
});

it.each(['typescript', 'javascript', 'bash'] as const)(
  'a program in %s learns which limit it has reached',
  async (language) => {
    const { executor } = makeExecutor({ tools: [order], languages: [language] });
    const code =
      language === 'bash'
        ? 'for i in 1 2 3; do order 2>&1; done'
        : 'for (const i of [1, 2, 3]) {\n  try { console.log(await order()) } catch (error) { console.log(error.message) }\n}';
    const { stdout } = await executor.execute(code);
    expect(stdout).toContain('order failed (LimitReached): this session has already made 2 calls');
    expect(stdout).toContain('(maxCalls.session)');
  },
);
