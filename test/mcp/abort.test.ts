import { expect, it } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { descendantsOf } from '../support/descendants.ts';

/** Answers requests with an error, but not `initialize`, and has to be killed. */
const HALF = `
process.on('SIGTERM', () => {});
setInterval(() => {}, 1e6);
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') return process.stderr.write('');
  console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }));
});`;

it.each([
  ['asked for its version', 'setInterval(() => {}, 1e6); process.on("SIGTERM", () => {});', 1],
  ['initialized', HALF, 2],
])(
  'ends the process if connecting is aborted while the server is %s',
  async (_what, script, started) => {
    const before = new Set(descendantsOf(process.pid).map(({ id }) => id));
    const own = (): number[] =>
      descendantsOf(process.pid).flatMap(({ id, state }) =>
        before.has(id) || state === 'Z' ? [] : [id],
      );
    const seen = new Set<number>();
    const controller = new AbortController();
    const opening = mcpTools({
      name: 'silent',
      command: process.execPath,
      args: ['-e', script],
      signal: controller.signal,
    }).catch((error: unknown) => error);
    await expect
      .poll(() => {
        for (const id of own()) seen.add(id);
        return seen.size;
      })
      .toBe(started);
    controller.abort('enough');
    expect(await opening).toMatchObject({
      code: 'ABORTED',
      message: 'Connecting to the MCP server silent was aborted by its signal.',
      cause: 'enough',
    });
    await expect.poll(own).toEqual([]);
  },
);

it('starts nothing with a signal that has fired', async () => {
  const server = { name: 'a', command: 'no-such-command', signal: AbortSignal.abort() };
  await expect(mcpTools(server)).rejects.toMatchObject({ code: 'ABORTED' });
});
