import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { startNode } from '../support/built-package.ts';
import { startReplyingServer, type ReplyingServer } from '../support/replying-server.ts';

// The first sandbox of a machine has to be prepared: an image, or a snapshot of Python.
vi.setConfig({ testTimeout: 120_000 });

const CODE = 'sales = await query_sales("East")\nprint(sum(s["revenue"] for s in sales))';
const LAST = 'The East sold for 300.';

/** The program of a heading of the documentation, after that of its beginning, with what both take as given. */
async function programOf(heading: string, server: ReplyingServer): Promise<string> {
  const text = await readFile('docs/agent-loops.md', 'utf8');
  const [start = ''] = blocksOf(text);
  const [loop = ''] = blocksOf(text.slice(text.indexOf(`## ${heading}`)));
  const given = [
    'const database = { sales: () => [{ revenue: 100 }, { revenue: 200 }] };',
    'const [conversationId, question, apiKey] = ["conversation", "What did the East sell for?", "none"];',
    `const baseUrl = ${JSON.stringify(server.origin)};`,
  ];
  return [...given, start, loop, 'await code.close();', 'await executor.close();'].join('\n');
}

function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

describe('the loops of docs/agent-loops.md', () => {
  const message = (stop_reason: string, block: object): object => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const about = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' };
    return { ...about, content: [block], stop_reason, stop_sequence: null, usage };
  };
  const completion = (finish_reason: string, fields: object): object => {
    const reply = { role: 'assistant', content: null, refusal: null, ...fields };
    const choices = [{ index: 0, message: reply, logprobs: null, finish_reason }];
    return { id: 'c', object: 'chat.completion', created: 1, model: 'gpt-test', choices };
  };
  const input = { code: CODE };
  const messages = [
    message('tool_use', { type: 'tool_use', id: 'toolu_1', name: 'execute_code', input }),
    message('end_turn', { type: 'text', text: LAST }),
  ];
  const call = { name: 'execute_code', arguments: JSON.stringify(input) };
  const completions = [
    completion('tool_calls', { tool_calls: [{ id: 'call_1', type: 'function', function: call }] }),
    completion('stop', { content: LAST }),
  ];

  it.each([
    ['With Anthropic’s tool runner', messages],
    ['With OpenAI’s chat completions', completions],
    ['By hand', messages],
  ])('%s: runs the model’s code and gives it what that printed', async (title, replies) => {
    await using server = await startReplyingServer(replies, (response, reply) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
    const program = await programOf(title.replace('’', "'"), server);
    const started = startNode(['--input-type=module', '-'], {
      env: {
        ANTHROPIC_BASE_URL: server.origin,
        ANTHROPIC_API_KEY: 'none',
        OPENAI_BASE_URL: `${server.origin}/v1`,
        OPENAI_API_KEY: 'none',
      },
    });
    started.child.stdin.end(program);
    const { status, stdout, stderr } = await started.finished();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(`${LAST}\n`);
    const [first, second] = server.requests.map((request) => JSON.stringify(request));
    expect(first).toContain('query_sales');
    expect(second).toContain('"300"');
  });
});
