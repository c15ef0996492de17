import { messageOf } from '../../src/shared/errors.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { connectUntilLeft, newClient, textOf } from '../mcp/server/support.ts';
import type { WayListener } from '../../src/testing/policy/way.ts';
import { closedWith, describeWay, executorOf } from './describe-way.ts';

/** So short that calls are made after the answer. */
const yieldAfterMs = 1;
const NEVER_MS = 300_000;

/** What the model gets of a program in all, which it waits for until the end. */
async function toEnd(
  execute: (input: object, onEvent: WayListener) => Promise<string>,
  code: string,
  onEvent: WayListener,
): Promise<string> {
  const printed: string[] = [];
  let text = await execute({ code }, onEvent);
  for (;;) {
    const [, program] = /\[Program (\w{8}) still runs/.exec(text) ?? [];
    printed.push(text.replace(/\[Program [^]*|\(The program ended without printing[^]*/, ''));
    if (program === undefined) return printed.join('');
    text = await execute({ program, wait_ms: NEVER_MS }, onEvent);
  }
}

describeWay({
  name: 'a program of codeTool that outlasts its call',
  language: 'python',
  hasEvents: true,
  open: async (parts) => {
    const { labels, policy } = parts;
    const options = { executor: executorOf(parts), labels, policy, yieldAfterMs };
    const tool = closedWith(parts, codeTool(options));
    const execute = async (input: object, onEvent: WayListener): Promise<string> =>
      (await tool.execute(input, { onEvent })).text;
    return { run: async (code, onEvent) => toEnd(execute, code, onEvent) };
  },
});

describeWay({
  name: 'a program of a client of our MCP server that outlasts its call',
  language: 'python',
  withoutApprover: /^Rejected: .*does not support elicitation/,
  open: async (parts) => {
    const { labels, policy } = parts;
    const options = { executor: executorOf(parts), policy, labels, yieldAfterMs };
    const { client, leave, served } = await connectUntilLeft(options, newClient('2026-07-28'));
    parts.onClose(async () => leave().then(async () => served));
    const execute = async (input: object): Promise<string> =>
      client.callTool({ name: 'execute_code', arguments: { ...input } }).then(textOf, messageOf);
    return { run: async (code, onEvent) => toEnd(execute, code, onEvent) };
  },
});
