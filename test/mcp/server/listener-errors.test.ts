import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';

/** The server of Node that answers requests, which it tells whoever subscribes. */
async function serverOf(url: string): Promise<Server> {
  let found: Server | undefined;
  const note = (message: unknown): void => {
    found = (message as { readonly server: Server }).server;
  };
  subscribe('http.server.request.start', note);
  await fetch(url);
  unsubscribe('http.server.request.start', note);
  if (found === undefined) throw new Error('Nothing has told of the server.');
  return found;
}

it('a connection that cannot be accepted is told to the host, and the server goes on', async () => {
  const executor = new SandboxExecutor({ tools: new ToolRegistry() });
  const errors: unknown[] = [];
  const server = mcpServer({ executor, onHostError: (error) => void errors.push(error) });
  const { url } = await server.listen({ port: 0 });
  onTestFinished(async () => {
    await server.close();
    await executor.close();
  });
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
  // What Node does if the system refuses a connection.
  (await serverOf(url)).emit('error', error);
  expect(errors).toEqual([error]);
  expect((await fetch(url)).status).toBeGreaterThan(0);
});
