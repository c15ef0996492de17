import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import type { McpCodeServerOptions } from '../../../src/mcp/server/options.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { connect, connectHttp, ERA_NAMES, newClient, textOf } from './support.ts';

const makeExecutor = useExecutors();
const TOKEN = 'the-token-of-the-test';
const CODE = 'print("begun", flush=True)\nprint(await gate())';
/** Longer than any program here takes. */
const NEVER_MS = 300_000;

/** `gate` returns when the test opens it, and says when it is called. */
function gated(): { opened: Deferred<string>; called: Deferred<void>; tools: ToolDefinition[] } {
  const [opened, called] = [createDeferred<string>(), createDeferred<void>()];
  const run = async (): Promise<string> => {
    called.resolve();
    return opened.promise;
  };
  return { opened, called, tools: [{ name: 'gate', description: 'Waits.', run }] };
}

function start(options: Partial<McpCodeServerOptions> = {}) {
  const gate = gated();
  const { executor, provider } = makeExecutor({ tools: gate.tools });
  return { ...gate, provider, options: { executor, yieldAfterMs: 1, ...options } };
}

/** A result of `execute_code`. */
async function send(client: Client, input: Readonly<Record<string, unknown>>) {
  const result = await client.callTool({ name: 'execute_code', arguments: { ...input } });
  const content = (result.structuredContent ?? {}) as Record<string, unknown>;
  return { ...result, ...content, text: textOf(result) } as Awaited<
    ReturnType<Client['callTool']>
  > & { status?: string; program?: string; session?: string; text: string };
}

describe.each(ERA_NAMES)('a long program of a client of the revision %s', (era) => {
  it('goes on, and its client waits for it again', async () => {
    const { options, opened, called } = start();
    const { client } = await connect(era, options);
    await client.listTools();
    const { status, program, isError } = await send(client, { code: CODE });
    expect({ status, isError }).toEqual({ status: 'running', isError: false });
    await called.promise;
    const running = await send(client, { program, wait_ms: 0 });
    expect(running).toMatchObject({ status: 'running', program });
    expect(running.text).toContain('gate({}): not ended yet');
    opened.resolve('open');
    const ended = await send(client, { program, wait_ms: NEVER_MS });
    expect(ended).toMatchObject({ status: 'ok', toolCalls: 1, isError: false });
    expect(ended.text).toContain('open');
    expect(await send(client, { program })).toMatchObject({ isError: true });
  });

  it('is stopped by its client', async () => {
    const { options, called } = start();
    const { client } = await connect(era, options);
    const { program } = await send(client, { code: CODE });
    await called.promise;
    const stopped = await send(client, { program, stop: true });
    expect(stopped).toMatchObject({ status: 'cancelled', isError: true });
    expect(stopped.text).toContain('gate({}): it is not known whether this was done');
  });

  it('is stopped when its client leaves', async () => {
    const { options, called, provider } = start();
    const { client, leave, served } = await connect(era, options);
    await send(client, { code: CODE });
    await called.promise;
    await leave();
    await served;
    expect(await provider.remaining()).toEqual([]);
  });

  it('that reports a text is answered at once', async () => {
    const { options, opened } = start({ yieldAfterMs: NEVER_MS });
    const { client } = await connect(era, options);
    const { text, program } = await send(client, { code: `report("half")\n${CODE}` });
    expect(text).toMatch(/^half\n/);
    opened.resolve('open');
    expect(await send(client, { program, wait_ms: NEVER_MS })).toMatchObject({ status: 'ok' });
  });

  it('asks the user in the next call that waits for it', async () => {
    const asked: string[] = [];
    const client = newClient(era, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { approve: true } };
    });
    const policy = { rules: [{ tool: 'pay', action: 'ask' }] } as const;
    const pay = { name: 'pay', description: 'Pays.', run: () => 'paid' };
    const { opened, called, tools } = gated();
    const { executor } = makeExecutor({ tools: [...tools, pay] });
    await connect(era, { executor, policy, yieldAfterMs: 1 }, client);
    const code = 'await gate()\nprint(await pay())';
    const { program } = await send(client, { code });
    await called.promise;
    // No call of the client waits for the program when it needs its user.
    opened.resolve('open');
    const ended = await send(client, { program, wait_ms: NEVER_MS });
    expect(ended).toMatchObject({ status: 'ok' });
    expect(ended.text).toContain('paid');
    expect(asked).toHaveLength(1);
  });

  it('tells each call that waits for it of its tool calls', async () => {
    let heard = 0;
    const step = { name: 'step', description: 'Says if enough was heard.', run: () => heard > 2 };
    // It calls on while no call waits for it.
    const { executor } = makeExecutor({ tools: [step], budgets: { toolCalls: 1e6 } });
    const { client } = await connect(era, { executor, yieldAfterMs: 1 });
    const { program } = await send(client, { code: 'while not await step():\n    pass' });
    const onprogress = ({ message }: { readonly message?: string | undefined }): void => {
      if (message === 'step') heard += 1;
    };
    const next = { name: 'execute_code', arguments: { program, wait_ms: NEVER_MS } };
    const { structuredContent } = await client.callTool(next, { onprogress });
    expect(structuredContent).toMatchObject({ status: 'ok' });
  });

  it('is named with its session by HTTP', async () => {
    const { options, opened } = start();
    const server = mcpServer(options);
    onTestFinished(async () => server.close());
    const { url } = await server.listen({ port: 0, tokens: [TOKEN] });
    const { client } = await connectHttp(url, TOKEN, newClient(era));
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools[0]?.inputSchema)).toContain('send the session of that program');
    const { session, program } = await send(client, { code: `x = 7\n${CODE}` });
    expect(await send(client, { program })).toMatchObject({ isError: true });
    opened.resolve('open');
    const ended = await send(client, { program, session, wait_ms: NEVER_MS });
    expect(ended).toMatchObject({ status: 'ok', session });
    const shown = await send(client, { code: 'print(x)', session });
    // It may yield before it prints, or before it ends.
    const { program: yielded } = shown;
    const rest =
      yielded === undefined
        ? { text: '' }
        : await send(client, { program: yielded, session, wait_ms: NEVER_MS });
    expect(`${shown.text}\n${rest.text}`).toMatch(/^7$/m);
  });

  it('is described with the option alone', async () => {
    const { options } = start();
    const described = async (more: McpCodeServerOptions) => {
      const { tools } = await (await connect(era, more)).client.listTools();
      return JSON.stringify(tools);
    };
    expect(await described(options)).toMatch(/"wait_ms".*"running"/);
    const { executor } = options;
    expect(await described({ executor })).not.toMatch(/wait_ms|running|report/);
  });
});
