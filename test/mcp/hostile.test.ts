import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import {
  callerOf,
  scriptedServer,
  scriptedTool,
  toolsOf,
  warningsOf,
  type ScriptedTool,
} from './support.ts';

const nothing = { content: [{ type: 'text', text: 'done' }] };

it.each([
  ['too many tools', { copies: 5001, tools: [scriptedTool('t')] }, /more than 5000 tools/],
  ['pages without end', { endless: true }, /more than 1000 pages/],
  [
    'large definitions',
    { copies: 45, tools: [scriptedTool('t', { description: 'x'.repeat(100_000) })] },
    /more than 10485760 characters/,
  ],
])('refuses a server that lists %s', async (_what, script, reason) => {
  await expect(mcpTools(scriptedServer(script))).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: expect.stringMatching(reason),
  });
});

it('leaves out tools that programs cannot have, and keeps the others', async () => {
  const tools = [
    scriptedTool('good', { description: 'Lists\u001b[2J issues\u202e.' }),
    scriptedTool('__proto__'),
    scriptedTool('a:b'),
    scriptedTool('x\u0007y'),
    scriptedTool('list-all'),
    scriptedTool('list_all'),
    scriptedTool('deep', { inputSchema: { type: 'object', properties: nested(260) } }),
    scriptedTool('deeper', { inputSchema: { type: 'object', properties: { levels: 5000 } } }),
    scriptedTool('deep-result', { outputSchema: { type: 'object', properties: { levels: 5000 } } }),
    scriptedTool('task', { execution: { taskSupport: 'required' } }),
  ];
  const source = await toolsOf(scriptedServer({ tools }));
  expect(source.tools().map(({ name }) => name)).toEqual(['good', 'list-all']);
});

function nested(depth: number): object {
  let schema: object = {};
  for (let at = 0; at < depth; at++) schema = { a: { type: 'object', properties: schema } };
  return schema;
}

it('shows no control characters of a schema to the model', async () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { type: 'string', description: 'A\u001b[2J name.' } },
  };
  const source = await toolsOf(scriptedServer({ tools: [scriptedTool('t', { inputSchema })] }));
  expect(JSON.stringify(source.tools()[0]?.inputSchema)).toContain(String.raw`A\\x1b[2J name.`);
});

it('does not run a pattern of a server with an engine that takes exponential time', async () => {
  const evil = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
  const text = `${'a'.repeat(50_000)}!`;
  const tools = [
    scriptedTool('in', { inputSchema: evil }),
    scriptedTool('out', { outputSchema: evil }),
  ];
  const results = { in: nothing, out: { content: [], structuredContent: { text } } };
  const { call } = await callerOf(scriptedServer({ tools, results }));
  expect(await call('in', { text })).toMatchObject({ type: 'InvalidArguments' });
  expect(await call('out')).toMatchObject({ type: 'InvalidResult' });
});

it('gives a program a result with the key __proto__ as data', async () => {
  const results = { t: { content: [{ type: 'text', text: '{"__proto__": {"admin": true}}' }] } };
  const { call } = await callerOf(scriptedServer({ tools: [scriptedTool('t')], results }));
  const value = await call('t');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

it('fails a call during which the server dies, and starts the server again after a pause', async () => {
  const tools = [scriptedTool('die'), scriptedTool('live')];
  const { call } = await callerOf(
    scriptedServer({ tools, results: { die: 'exit', live: nothing } }),
  );
  expect(await call('live')).toBe('done');
  expect(await call('die')).toMatchObject({ type: 'Unavailable' });
  expect(await call('live')).toMatchObject({
    type: 'Unavailable',
    message: expect.stringContaining('the first call after 1 s connects it again'),
  });
  await expect.poll(async () => call('live')).toBe('done');
});

it('cancels a call that is given up, whether or not the server answers', async () => {
  const { call } = await callerOf(
    scriptedServer({ tools: [scriptedTool('t')], results: { t: 'silence' } }),
  );
  const controller = new AbortController();
  const given = call('t', {}, { signal: controller.signal });
  controller.abort();
  expect(await given).toMatchObject({ type: 'Cancelled' });
});

it('follows the tools of a server', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { call, source } = await callerOf(
    scriptedServer({
      tools: [scriptedTool('change')],
      laterTools: [scriptedTool('new')],
      flag: join(directory, 'changed'),
      results: { change: 'change', new: nothing },
    }),
  );
  const changed = new Promise<void>((resolve) => void source.onChange(resolve));
  expect(await call('change')).toBeNull();
  await changed;
  expect(await call('new')).toBe('done');
  expect(await call('change')).toMatchObject({ type: 'UnknownTool' });
});

it('follows the tools of a server that change while they are listed for the first time', async () => {
  const source = await toolsOf(
    scriptedServer({
      tools: [scriptedTool('old')],
      laterTools: [scriptedTool('new')],
      early: { method: 'notifications/tools/list_changed' },
    }),
  );
  await expect.poll(() => source.tools().map(({ name }) => name)).toEqual(['new']);
});

it('warns once of each tool that is left out, and of 1,000 at most', async () => {
  const warnings = warningsOf('PTC_MCP_TOOL');
  const named = (name: string): ScriptedTool => scriptedTool(`a:${name}`);
  let tools = ['1', '2'].map((name) => named(name));
  // A client of your own, so that the source lists the tools when the test says so.
  const request = async (): Promise<object> => ({ tools });
  const source = await toolsOf({ name: 'own', client: { request } as never });
  const listAgain = async (): Promise<void> => {
    const listed = source.refresh();
    await vi.advanceTimersByTimeAsync(1000);
    await listed;
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await listAgain();
  tools = ['2', '3'].map((name) => named(name));
  await listAgain();
  tools = Array.from({ length: 2000 }, (_, at) => named(String(at)));
  await listAgain();
  tools = [named('more')];
  await listAgain();
  const [first, second, third, ...others] = warnings;
  expect(first).toBe(
    'Programs cannot have 2 tools of the MCP server own: "a:1" (its name contains a colon), "a:2" (its name contains a colon)',
  );
  expect(second).toContain('Programs cannot have 1 tool of the MCP server own: "a:3"');
  expect(third).toContain('997 tools');
  expect(others).toEqual([]);
});

it('lists the tools of a server that announces changes without end once a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let lists = 0;
  // The client of a server would not get on with a clock that stands still.
  const request = async (): Promise<object> => {
    lists += 1;
    return { tools: [] };
  };
  const source = await toolsOf({ name: 'own', client: { request } as never });
  await source.refresh();
  expect(lists).toBe(2);
  let listed = source.refresh();
  await vi.advanceTimersByTimeAsync(999);
  expect(lists).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  await listed;
  expect(lists).toBe(3);
  listed = source.refresh();
  await source.close();
  await listed;
  expect(lists).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

it('says that a command does not exist, or is not a server', async () => {
  await expect(mcpTools({ name: 'none', command: 'no-such-command' })).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message:
      'The MCP server none cannot be used: the command "no-such-command" cannot be started (ENOENT). Install it, or correct command.',
  });
  await expect(mcpTools({ name: 'none', command: 'node server.mjs' })).rejects.toMatchObject({
    message:
      'The MCP server none cannot be used: the command "node server.mjs" cannot be started (ENOENT). Put its arguments into args.',
  });
  await expect(mcpTools({ name: 'none', command: 'true' })).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: expect.stringContaining('Run it in a terminal to see what it prints'),
  });
});
