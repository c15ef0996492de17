import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import type { ExecutionResult } from '../../../src/execution/execution.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { isAlive, untilGone, useSandboxes } from './support.ts';

// More messages than the supervisor reads in the first of its two ways.
const MANY = 700;
const TEXT_LENGTH = 3_000_000;

describe('an embedded sandbox that has got many messages', () => {
  let executor: SandboxExecutor;
  let session: Session;
  let interrupt: () => void;
  let calls = 0;
  let counted: ExecutionResult;
  beforeAll(async () => {
    const tools = new ToolRegistry([
      { name: 'count', description: 'Counts its calls.', run: () => (calls += 1) },
      { name: 'big', description: 'Gives long text.', run: () => 'x'.repeat(TEXT_LENGTH) },
      { name: 'ready', description: 'Says that the program waits.', run: () => interrupt() },
    ]);
    executor = new SandboxExecutor({
      provider: embeddedProvider(),
      tools,
      budgets: { toolCalls: MANY * 2 },
    });
    session = await executor.acquire();
    const code = `for _ in range(${MANY}): value = await count()\nprint(value)`;
    counted = await session.execute(code);
  });
  afterAll(async () => executor.close());

  it('has given its program each result', () => {
    expect(counted).toMatchObject({ status: 'ok', stdout: `${MANY}\n` });
  });

  it('gets all of a message that arrives in many parts', async () => {
    const code = 'text = await big()\nprint(len(text), set(text))';
    const result = await session.execute(code);
    expect(result).toMatchObject({ status: 'ok', stdout: `${TEXT_LENGTH} {'x'}\n` });
  });

  it('is still interrupted, and keeps its variables', async () => {
    const controller = new AbortController();
    interrupt = () => controller.abort();
    const code = 'await ready()\nwhile True: pass';
    const stopped = await session.execute(code, { signal: controller.signal });
    expect(stopped.status).toBe('cancelled');
    expect(await session.execute('print(value)')).toMatchObject({ stdout: `${MANY}\n` });
  });
});

describe('the process of such a sandbox', () => {
  const { start } = useSandboxes();

  it('ends when its input ends', async () => {
    const client = await start();
    for (let run = 0; run < MANY; run += 1) await client.run('pass');
    client.sandbox.transport.destroy();
    await untilGone(client.sandbox.id);
    expect(await isAlive(client.sandbox.id)).toBe(false);
  });
});
