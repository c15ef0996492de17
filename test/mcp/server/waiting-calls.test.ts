import type { Client } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import type { McpCodeServerOptions } from '../../../src/mcp/server/options.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { given } from '../../../src/shared/given.ts';
import { useBench } from '../../support/bench.ts';
import { callRaw, connectHttp, newClient, runCode, sessionOf } from './support.ts';

let gate = createDeferred<undefined>();
const bench = useBench({
  toolList: [
    { name: 'pay', description: 'Pays.', run: () => 'paid' },
    { name: 'gate', description: 'Waits.', run: async () => gate.promise },
  ],
});

const MOST = 100;
const TOKEN = 'the-token-of-the-test';
const policy = { rules: [{ tool: 'pay', action: 'ask' }] } as const;

/** The end of a request: a result, or questions to the user. */
interface Ended {
  readonly requestState?: string;
  readonly inputRequests?: object;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** A client of the revision 2026-07-28 by HTTP, whose requests end with the questions. */
async function asked(options: Partial<McpCodeServerOptions> = {}): Promise<{
  readonly url: string;
  readonly client: Client;
  readonly execute: (input: object, answer?: object) => Promise<Ended>;
}> {
  const server = mcpServer({ executor: bench.executor, policy, ...options });
  onTestFinished(async () => server.close());
  const { url } = await server.listen({ port: 0, tokens: [TOKEN] });
  const era = '2026-07-28';
  const { client } = await connectHttp(
    url,
    TOKEN,
    newClient(era, { capabilities: { elicitation: { form: {} } } }),
  );
  const execute = async (input: object, answer: object = {}): Promise<Ended> => {
    const params = { name: 'execute_code', arguments: input, ...answer };
    const request = { method: 'tools/call', params };
    return (await client.request(request as never, { allowInputRequired: true } as never)) as Ended;
  };
  return { url, client, execute };
}

it('counts a call that waits for an answer after its program has ended [host/mcp-calls]', async () => {
  const { client, execute } = await asked();
  const session = sessionOf(await runCode(client, 'import asyncio'));
  const code = 't = asyncio.ensure_future(pay())\nawait gate()';
  const input = { code, session };
  const waiting: Ended[] = [];
  while (waiting.length < MOST) {
    gate = createDeferred();
    waiting.push(await execute(input));
    // The program ends without its call.
    gate.resolve(undefined);
  }
  await expect.poll(() => bench.executor.stats().busy).toBe(0);
  await expect(execute(input)).rejects.toMatchObject({
    code: -32_000,
    message: expect.stringContaining('100 calls of this caller run or wait for an answer'),
  });
  // The order of the arguments does not matter.
  const { requestState } = waiting[0] ?? {};
  const answered = await execute({ session, code }, { requestState, inputResponses: {} });
  expect(answered.structuredContent).toMatchObject({ status: 'ok' });
  expect(await execute({ code: 'print(1)', session })).toMatchObject({ isError: false });
});

it('refuses an answer that is sent with deeply nested arguments, which is not an error of the host', async () => {
  const errors: unknown[] = [];
  const { url, execute } = await asked({ onHostError: (error) => void errors.push(error) });
  const { requestState } = await execute({ code: 'await pay()' });
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const call = { name: 'execute_code', sent: `{"code":"await pay()","deep":${deep}}` };
  const { answer } = await callRaw(url, TOKEN, { ...call, ...given({ requestState }) });
  expect(answer).toMatchObject({ error: { code: -32_602 } });
  expect(errors).toEqual([]);
});

it('tells the host of a call that failed while its client was asked and did not answer', async () => {
  gate = createDeferred();
  const { executor } = bench;
  const acquire = executor.acquire.bind(executor);
  // Stands for a host that fails once a program has ended.
  const acquired = vi.spyOn(executor, 'acquire').mockImplementation(async (options) => {
    const session = await acquire(options);
    const execute = session.execute.bind(session);
    vi.spyOn(session, 'execute').mockImplementation(async (...program) => {
      await execute(...program);
      throw new PtcError('SANDBOX_LOST', 'The host failed.');
    });
    return session;
  });
  onTestFinished(() => acquired.mockRestore());
  const told = createDeferred<unknown>();
  const { execute } = await asked({
    policy: { ...policy, approvalTimeoutMs: 1000 },
    onHostError: (error) => told.resolve(error),
  });
  const code = 'import asyncio\nt = asyncio.ensure_future(pay())\nawait gate()';
  expect((await execute({ code })).inputRequests).toBeDefined();
  gate.resolve(undefined);
  expect(await told.promise).toMatchObject({ code: 'SANDBOX_LOST' });
});
