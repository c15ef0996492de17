import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { mcpTools, type McpStdioServer } from '../../src/mcp/index.ts';
import { startTypeScript } from '../support/typescript-process.ts';
import { callerOf, scriptedServer, scriptedTool } from './support.ts';

/** The processes whose command line has a text. Those that are left are killed after the test. */
function processesWith(text: string): () => readonly number[] {
  const find = (): readonly number[] =>
    readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text) ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
  onTestFinished(() => {
    for (const id of find()) process.kill(id, 'SIGKILL');
  });
  return find;
}

/** A server whose processes all have an id in their command line, started by a command of the shell. */
function behindShell(command: string, server: McpStdioServer, id: string): McpStdioServer {
  const args = ['-c', command, server.command, ...(server.args ?? []), id];
  return { name: 'shell', command: '/bin/sh', args };
}

it('leaves no process of a server behind a shell when it is closed, even if that ignores the end of its input and SIGTERM', async () => {
  const id = randomUUID();
  const own = processesWith(id);
  const script = { tools: [scriptedTool('t')], stubborn: true };
  const source = await mcpTools(behindShell('"$0" "$@"; true', scriptedServer(script), id));
  expect(own()).toHaveLength(2);
  await source.close();
  await expect.poll(own).toEqual([]);
});

it.each([
  ['ends on SIGTERM', ''],
  ['ignores SIGTERM', `trap '' TERM;`],
])(
  'leaves no process that a server has left without its output when it is closed: one that %s',
  async (_how, first) => {
    const id = randomUUID();
    const own = processesWith(id);
    const child = `sh -c "${first} sleep 1000; sleep 1000" ${id} </dev/null >/dev/null 2>&1 &`;
    const server = scriptedServer({ tools: [scriptedTool('t')] });
    const source = await mcpTools(behindShell(`${child} exec "$0" "$@"`, server, id));
    expect(own()).toHaveLength(2);
    await source.close();
    await expect.poll(own).toEqual([]);
  },
);

it('leaves no process that a server has left without its output when the server ends by itself', async () => {
  const id = randomUUID();
  const own = processesWith(id);
  const child = `sh -c 'sleep 1000; true' ${id} </dev/null >/dev/null 2>&1 &`;
  const script = { tools: [scriptedTool('die')], results: { die: 'exit' } };
  const server = behindShell(`${child} exec "$0" "$@"`, scriptedServer(script), id);
  const { call } = await callerOf(server);
  expect(await call('die')).toMatchObject({ type: 'Unavailable' });
  await expect.poll(own).toEqual([]);
});

it('connects to a server again that has ended, although a child of it holds its output', async () => {
  const id = randomUUID();
  const own = processesWith(id);
  const done = { content: [{ type: 'text', text: 'done' }] };
  const tools = [scriptedTool('die'), scriptedTool('live')];
  const server = scriptedServer({ tools, results: { die: 'exit', live: done } });
  const child = `sh -c 'sleep 1000; true' ${id} & exec "$0" "$@"`;
  const { call, source } = await callerOf(behindShell(child, server, id));
  expect(await call('die')).toMatchObject({ type: 'Unavailable' });
  await expect.poll(async () => call('live')).toBe('done');
  await source.close();
  await expect.poll(own).toEqual([]);
});

it('connects to a server that ends if it is asked for anything before it is initialized', async () => {
  const answers = `{ initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} },
    serverInfo: { name: 'strict', version: '1' } }, 'tools/list': { tools: [] } }`;
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = (${answers})[method];
    if (id !== undefined && result === undefined) process.exit(1);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;
  const source = await mcpTools({ name: 's', command: process.execPath, args: ['-e', script] });
  expect(source.tools()).toEqual([]);
  await source.close();
});

/** A server that answers until its tools are listed, and then reads nothing more. */
function deafServer(afterwards: string): McpStdioServer {
  const answers = `{ initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} },
    serverInfo: { name: 'deaf', version: '1' } },
    'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] } }`;
  const script = `const lines = require('node:readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = (${answers})[method];
    const error = { code: -32601, message: 'no such method' };
    if (id === undefined) return;
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    if (method !== 'tools/list') return;
    lines.pause();
    setInterval(() => {}, 1e6);
    ${afterwards}
  });`;
  return { name: 'deaf', command: process.execPath, args: ['-e', script] };
}

it('ends the connection to a server that does not read, before what it is sent fills the memory', async () => {
  const { call } = await callerOf(deafServer(''));
  const text = 'x'.repeat(8e6);
  const calls = Array.from({ length: 12 }, async () => call('t', { text }));
  for (const outcome of await Promise.all(calls)) {
    expect(outcome).toMatchObject({ type: 'Unavailable' });
  }
});

it('ends the connection to a server that sends requests and does not read the answers', async () => {
  const ping = `'{"jsonrpc":"2.0","id":"' + 'x'.repeat(1000) + '","method":"ping"}\\n'`;
  const { call } = await callerOf(deafServer(`process.stdout.write((${ping}).repeat(11000));`));
  expect(await call('t')).toMatchObject({ type: 'Unavailable' });
});

it('ends with the process that has started it, however that ends', async () => {
  const id = randomUUID();
  const own = processesWith(id);
  const script = { tools: [scriptedTool('t')] };
  const server = behindShell('"$0" "$@"; true', scriptedServer(script), id);
  const host = startTypeScript(new URL('servers/host.ts', import.meta.url), JSON.stringify(server));
  onTestFinished(() => void host.kill('SIGKILL'));
  await once(createInterface(host.stdout), 'line');
  expect(own()).toHaveLength(3);
  host.kill('SIGKILL');
  await expect.poll(own).toEqual([]);
});
