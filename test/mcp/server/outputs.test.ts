import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { mcpServer, type McpCodeServer } from '../../../src/mcp/server/mcp-server.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { META } from './support.ts';

/** A server that starts no sandbox. */
function newServer(): McpCodeServer {
  const executor = new SandboxExecutor({ tools: new ToolRegistry() });
  onTestFinished(async () => executor.close());
  return mcpServer({ executor });
}

/** A line of the client. */
function request(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } })}\n`;
}

it('a connection whose output was destroyed has ended', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.destroy();
  await once(output, 'close');
  await expect(newServer().stdio({ input, output })).resolves.toBeUndefined();
});

it('a connection ends when its output is destroyed', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = newServer().stdio({ input, output });
  input.write(request(1, 'tools/list'));
  await once(output, 'data');
  output.destroy();
  await served;
  expect(output.listenerCount('close')).toBe(0);
});

it('a connection whose client does not read can be closed', async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })];
  const server = newServer();
  const served = server.stdio({ input, output });
  input.write(request(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
  await once(output, 'readable');
  input.write(request(2, 'tools/list'));
  await server.close();
  await expect(served).resolves.toBeUndefined();
});
