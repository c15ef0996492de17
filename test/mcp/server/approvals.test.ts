import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { McpCodeServerOptions } from '../../../src/mcp/server/options.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES, newClient, textOf, type Era } from './support.ts';

const bench = useBench({
  toolList: [
    {
      name: 'pay',
      description: 'Pays.',
      inputSchema: {
        type: 'object',
        properties: { amount: { type: 'number' }, note: { type: 'string' } },
      },
      allowedCallers: ['code', 'direct'],
      run: ({ amount }: { amount: number }) => `paid ${amount}`,
    },
  ],
});

const TELL = {
  name: 'tell',
  description: 'Tells the test.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
} as const;
const policy = { rules: [{ tool: 'pay', action: 'ask', reason: 'It costs money.' }] } as const;
const TRY = `async def attempt(**arguments):
    try:
        print(await pay(**arguments))
    except ToolError as error:
        print(error)
`;

/** A client whose user decides so, and what its user was shown. */
function askable(
  era: Era,
  decide: (message: string) => { action: 'accept' | 'decline' | 'cancel'; content?: object },
): { client: Client; shown: string[] } {
  const client = newClient(era, { capabilities: { elicitation: { form: {} } } });
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push(params.message);
    return decide(params.message) as never;
  });
  return { client, shown };
}

async function run(
  era: Era,
  client: Client,
  code: string,
  more: Partial<McpCodeServerOptions> = {},
) {
  await connect(era, { executor: bench.executor, policy, ...more }, client);
  return textOf(await client.callTool({ name: 'execute_code', arguments: { code: TRY + code } }));
}

describe.each(ERA_NAMES)('a policy that asks, with a client of the revision %s', (era) => {
  it('asks its user while the program waits', async () => {
    const { client, shown } = askable(era, () => ({
      action: 'accept',
      content: { approve: true },
    }));
    const code = 'x = 7\nawait attempt(amount=x)\nawait attempt(amount=x + 1)';
    expect(await run(era, client, code)).toBe('paid 7\npaid 8');
    expect(shown).toEqual([
      'Allow this call of the tool pay?\nReason: It costs money.\nArguments: {\n  "amount": 7\n}',
      'Allow this call of the tool pay?\nReason: It costs money.\nArguments: {\n  "amount": 8\n}',
    ]);
  });

  it('asks about calls that are made at the same time', async () => {
    const { client, shown } = askable(era, (message) => ({
      action: 'accept',
      content: { approve: !message.includes('2') },
    }));
    const code =
      'import asyncio\n_ = await asyncio.gather(*(attempt(amount=n) for n in (1, 2, 3)))';
    const lines = (await run(era, client, code)).split('\n').sort();
    expect(lines).toEqual(['paid 1', 'paid 3', expect.stringMatching(/Rejected/)]);
    expect(shown).toHaveLength(3);
  });

  it('asks about direct calls', async () => {
    const { client, shown } = askable(era, () => ({
      action: 'accept',
      content: { approve: true },
    }));
    await connect(era, { executor: bench.executor, policy }, client);
    const paid = await client.callTool({ name: 'pay', arguments: { amount: 3 } });
    expect(textOf(paid)).toBe('"paid 3"');
    expect(shown).toHaveLength(1);
  });

  it.each([
    [{ action: 'accept', content: {} }],
    [{ action: 'accept', content: { approve: false } }],
    [{ action: 'accept', content: { approve: 'true' } }],
    [{ action: 'accept' }],
    [{ action: 'decline' }],
    [{ action: 'cancel' }],
  ] as const)('rejects the call if the answer is %j', async (answer) => {
    const { client } = askable(era, () => answer);
    expect(await run(era, client, 'await attempt(amount=1)')).toMatch(/^pay failed \(Rejected\)/);
  });

  it('rejects the call if the client cannot ask its user', async () => {
    const text = await run(era, newClient(era), 'await attempt(amount=1)');
    expect(text).toMatch(/Rejected.*does not support elicitation/);
  });

  it('rejects arguments that nobody could read, and shows deceptive characters as escapes', async () => {
    const { client, shown } = askable(era, () => ({
      action: 'accept',
      content: { approve: true },
    }));
    const code = `await attempt(amount=1, note="x" * 20000)\nawait attempt(amount=2, note="\\u202e\\x1b[2J")`;
    const [first, second] = (await run(era, client, code)).split('\n');
    expect(first).toMatch(/Rejected.*more|Rejected.*at most 10000/);
    expect(second).toBe('paid 2');
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain(String.raw`\u202e`);
    expect(shown[0]).not.toContain('\u202E');
    expect(shown[0]).not.toContain('\u001B');
  });

  it('asks an approver of the policy instead, if it has one', async () => {
    const { client, shown } = askable(era, () => ({ action: 'decline' }));
    const approver = async () => ({ approved: true }) as const;
    const own = { policy: { ...policy, approver } };
    expect(await run(era, client, 'await attempt(amount=5)', own)).toBe('paid 5');
    expect(shown).toEqual([]);
  });
});

it('a client of the revision 2025-11-25 whose user takes too long gets a rejection', async () => {
  const era = '2025-11-25';
  const client = newClient(era, { capabilities: { elicitation: { form: {} } } });
  const asked = createDeferred<undefined>();
  client.setRequestHandler('elicitation/create', async () => {
    asked.resolve(undefined);
    return new Promise<never>(() => {});
  });
  const printed = createDeferred<string>();
  const onResult = ({ text }: { text: string }): void => printed.resolve(text);
  const { executor } = bench;
  const tools = [...executor.tools.list(), { ...TELL, run: onResult }];
  const own = { policy: { ...policy, approvalTimeoutMs: 50 }, tools };
  await connect(era, { executor, ...own }, client);
  const code = `try:
    await pay(amount=1)
except ToolError as error:
    await tell(text=str(error))`;
  client.callTool({ name: 'execute_code', arguments: { code } }).catch(() => {});
  await asked.promise;
  expect(await printed.promise).toMatch(/Rejected.*nobody decided within 50 ms/);
});

const APPROVED = { action: 'accept', content: { approve: true } };
const ASKING = { name: 'execute_code', arguments: { code: `${TRY}await attempt(amount=1)` } };

/** A client that is asked, and makes the further requests itself. */
async function askedClient(options: Partial<McpCodeServerOptions> = {}): Promise<{
  readonly call: (params: object) => Promise<Record<string, unknown>>;
  readonly requestState: string;
  readonly inputResponses: Readonly<Record<string, object>>;
}> {
  const client = newClient('2026-07-28', { capabilities: { elicitation: { form: {} } } });
  await connect('2026-07-28', { executor: bench.executor, policy, ...options }, client);
  const call = async (params: object): Promise<Record<string, unknown>> =>
    client.request(
      { method: 'tools/call', params } as never,
      {
        allowInputRequired: true,
      } as never,
    );
  const { inputRequests, requestState } = await call(ASKING);
  const [id = ''] = Object.keys(inputRequests as object);
  return { call, requestState: requestState as string, inputResponses: { [id]: APPROVED } };
}

describe('the answer of a client of the revision 2026-07-28', () => {
  it('continues the program', async () => {
    const { call, ...answer } = await askedClient();
    expect(await call({ ...ASKING, ...answer })).toMatchObject({ content: [{ text: 'paid 1' }] });
  });

  it('rejects the call if it leaves the question out, or answers another', async () => {
    const { call, requestState } = await askedClient();
    const inputResponses = { __proto__: APPROVED, other: APPROVED };
    expect(await call({ ...ASKING, requestState, inputResponses })).toMatchObject({
      content: [{ text: expect.stringMatching(/Rejected/) }],
    });
  });

  it('is refused if its state was forged, was used before, or is of another call or server', async () => {
    const { call, requestState, ...answer } = await askedClient();
    const [, body = '', mac = ''] = requestState.split('.');
    const forgedBody = Buffer.from(
      Buffer.from(body, 'base64url')
        .toString()
        .replace(/"id":"./, '"id":"-'),
    ).toString('base64url');
    const foreign = await askedClient();
    const other = { name: 'execute_code', arguments: { code: 'print(await pay(amount=9))' } };
    const wrong = [
      { ...ASKING, ...answer, requestState: `v1.${forgedBody}.${mac}` },
      { ...ASKING, ...answer, requestState: `v1.${body}.${'A'.repeat(mac.length)}` },
      { ...ASKING, ...answer, requestState: 'x' },
      { ...ASKING, ...answer, requestState: foreign.requestState },
      { ...other, ...answer, requestState },
    ];
    for (const params of wrong) {
      await expect(call(params)).rejects.toMatchObject({ code: -32_602 });
    }
    const right = { ...ASKING, ...answer, requestState };
    expect(await call(right)).toMatchObject({ content: [{ text: 'paid 1' }] });
    await expect(call(right)).rejects.toMatchObject({ code: -32_602 });
  });

  it('comes too late if the program was stopped meanwhile', async () => {
    const { executor } = bench;
    const code = 'try:\n    await pay(amount=1)\nexcept ToolError:\n    pass\nwhile True: pass';
    const call = { name: 'execute_code', arguments: { code } };
    const client = newClient('2026-07-28', { capabilities: { elicitation: { form: {} } } });
    const own = { policy: { ...policy, approvalTimeoutMs: 200 }, programTimeoutMs: 600_000 };
    await connect('2026-07-28', { executor, ...own }, client);
    const ask = async (params: object): Promise<Record<string, unknown>> =>
      client.request(
        { method: 'tools/call', params } as never,
        { allowInputRequired: true } as never,
      );
    const { requestState } = await ask(call);
    await expect.poll(() => executor.stats().busy).toBe(0);
    await expect(ask({ ...call, requestState })).rejects.toMatchObject({ code: -32_602 });
  });
});
