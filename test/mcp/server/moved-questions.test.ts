import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { useExecutors } from '../../sessions/support.ts';
import { connect, ERA_NAMES, newClient, textOf, type Era } from './support.ts';

const makeExecutor = useExecutors();
/** Longer than any program here takes. */
const NEVER_MS = 300_000;
const policy = { rules: [{ tool: 'pay', action: 'ask' }] } as const;
const ELICITATION = { capabilities: { elicitation: { form: {} } } } as const;
const APPROVED = { action: 'accept', content: { approve: true } } as const;

interface Gate {
  readonly called: Deferred<void>;
  readonly opened: Deferred<void>;
}

/** A server whose programs can pay, which asks, and wait at gates that the test opens. */
async function serve(era: Era, client: Client): Promise<readonly [Gate, Gate]> {
  const gates = [0, 1].map(() => ({
    called: createDeferred<void>(),
    opened: createDeferred<void>(),
  })) as [Gate, Gate];
  const tools = gates.map(({ called, opened }, index) => ({
    name: `gate_${index + 1}`,
    description: 'Waits.',
    run: async () => {
      called.resolve();
      await opened.promise;
    },
  }));
  const pay = { name: 'pay', description: 'Pays.', run: () => 'paid' };
  const { executor } = makeExecutor({ tools: [...tools, pay] });
  await connect(era, { executor, policy, yieldAfterMs: NEVER_MS }, client);
  return gates;
}

const execute = (input: object) => ({ name: 'execute_code', arguments: { ...input } });

describe.each(ERA_NAMES)('a question of a client of the revision %s', (era) => {
  it('is not asked in a call whose program has not begun', async () => {
    const client = newClient(era, ELICITATION);
    const other = new AbortController();
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      other.abort();
      return APPROVED;
    });
    const [{ called, opened }] = await serve(era, client);
    const first = client.callTool(execute({ code: 'await gate_1()\nprint(await pay())' }));
    await called.promise;
    const { signal } = other;
    const second = client.callTool(execute({ code: 'print(1)' }), { signal });
    // Its answer comes after the server has read the call before it.
    await client.listTools();
    opened.resolve();
    await expect(second).rejects.toThrow(/abort/i);
    expect(textOf(await first)).toBe('paid');
    expect(asked).toHaveLength(1);
  });
});

it('a question is asked again in the call that waits if the call in which it was asked is cancelled', async () => {
  const era = '2025-11-25';
  const client = newClient(era, ELICITATION);
  const other = new AbortController();
  const withdrawn = createDeferred<void>();
  let asked = 0;
  client.setRequestHandler('elicitation/create', async (_, { mcpReq }) => {
    asked += 1;
    if (asked > 1) return APPROVED;
    mcpReq.signal.addEventListener('abort', () => withdrawn.resolve());
    other.abort();
    return new Promise<never>(() => {});
  });
  const [{ called, opened }] = await serve(era, client);
  const first = client.callTool(execute({ code: 'await gate_1()\nprint(await pay())' }));
  await called.promise;
  const { signal } = other;
  const second = client.callTool(execute({ program: 'unknown' }), { signal });
  // Its answer comes after the server has read the call before it.
  await client.listTools();
  opened.resolve();
  await expect(second).rejects.toThrow(/abort/i);
  expect(textOf(await first)).toBe('paid');
  await withdrawn.promise;
  expect(asked).toBe(2);
});

it('a question that a call has not told its client when it ends is asked in the next call', async () => {
  const client = newClient('2026-07-28', ELICITATION);
  const send = async (input: object, answer: object = {}) =>
    (await client.request(
      { method: 'tools/call', params: { ...execute(input), ...answer } } as never,
      { allowInputRequired: true } as never,
    )) as {
      readonly requestState?: string;
      readonly inputRequests?: object;
      readonly structuredContent?: { readonly program?: string };
    };
  const approve = ({ requestState, inputRequests = {} }: Awaited<ReturnType<typeof send>>) => {
    const answers = Object.keys(inputRequests).map((id) => [id, APPROVED]);
    expect(answers).toHaveLength(1);
    return { requestState, inputResponses: Object.fromEntries(answers) };
  };
  const [first, second] = await serve('2026-07-28', client);
  const code = `import asyncio
one = asyncio.ensure_future(pay())
await gate_1()
two = asyncio.ensure_future(pay())
await asyncio.sleep(0)
await gate_2()
report("both are asked")
print(await one, await two)`;
  const asked = await send({ code });
  first.opened.resolve();
  await second.called.promise;
  // Answered when the first call has ended.
  const next = send({ program: 'unknown' });
  await client.listTools();
  second.opened.resolve();
  expect(await next).toMatchObject({ isError: true });
  const yielded = await send({ code }, approve(asked));
  expect(yielded).toMatchObject({ structuredContent: { status: 'running' } });
  const rest = { program: yielded.structuredContent?.program, wait_ms: NEVER_MS };
  const ended = await send(rest, approve(await send(rest)));
  expect(ended).toMatchObject({
    structuredContent: { status: 'ok', output: expect.stringContaining('paid paid') },
  });
});
