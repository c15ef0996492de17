import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startNode, type Finished } from '../support/built-package.ts';
import { startReplyingServer, type ReplyingServer } from '../support/replying-server.ts';

const CODE = 'sales = await query_sales("East")\nprint(sum(s["revenue"] for s in sales))';
const LAST = 'The East sold for 300.';

const LOOPS = [
  'With Anthropic’s tool runner',
  'With OpenAI’s chat completions',
  'By hand',
] as const;

/** The program of a heading of the documentation, after that of its beginning, with what both take as given. */
async function programOf(title: string, server: ReplyingServer): Promise<string> {
  const heading = title.replace('’', "'");
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

/** The answers of the model in a loop: first a program, then words. */
function answersFor(loop: (typeof LOOPS)[number], code: string): object[] {
  const input = { code };
  if (!loop.includes('OpenAI')) {
    return [
      message('tool_use', { type: 'tool_use', id: 'toolu_1', name: 'execute_code', input }),
      message('end_turn', { type: 'text', text: LAST }),
    ];
  }
  const call = { name: 'execute_code', arguments: JSON.stringify(input) };
  return [
    completion('tool_calls', { tool_calls: [{ id: 'call_1', type: 'function', function: call }] }),
    completion('stop', { content: LAST }),
  ];
}

async function serverFor(loop: (typeof LOOPS)[number], code: string): Promise<ReplyingServer> {
  return startReplyingServer(answersFor(loop, code), (response, reply) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
}

async function runProgram(
  program: string,
  server: ReplyingServer,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const started = startNode(['--input-type=module', '-'], {
    env: {
      ANTHROPIC_BASE_URL: server.origin,
      ANTHROPIC_API_KEY: 'none',
      OPENAI_BASE_URL: `${server.origin}/v1`,
      OPENAI_API_KEY: 'none',
      ...env,
    },
  });
  started.child.stdin.end(program);
  return started.finished();
}

describe('the loops of docs/agent-loops.md', () => {
  it.each(LOOPS)('%s: runs the model’s code and gives it what that printed', async (loop) => {
    await using server = await serverFor(loop, CODE);
    const { status, stdout, stderr } = await runProgram(await programOf(loop, server), server);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(`${LAST}\n`);
    const [first, second] = server.requests.map((request) => JSON.stringify(request));
    expect(first).toContain('query_sales');
    expect(second).toContain('"300"');
  });

  it.each(LOOPS)('%s: an error of the host ends the loop and not in an apology', async (loop) => {
    await using server = await serverFor(loop, CODE);
    const program = await programOf(loop, server);
    const failing = program.replace(
      'new SandboxExecutor()',
      "new SandboxExecutor({ provider: 'docker' })",
    );
    const env = { DOCKER_HOST: 'unix:///no/such/engine.sock' };
    const { status, stdout, stderr } = await runProgram(failing, server, env);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain("code: 'SANDBOX_UNAVAILABLE'");
    expect(server.requests).toHaveLength(1);
  });

  it('With Anthropic’s tool runner: a program that fails gives a result with is_error', async () => {
    const [loop] = LOOPS;
    await using server = await serverFor(loop, 'print("so far")\n1 / 0');
    const { status, stderr } = await runProgram(await programOf(loop, server), server);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const content = expect.stringMatching(/^so far\n.*ZeroDivisionError/s);
    const body = server.requests[1]?.body as { readonly messages: readonly object[] } | undefined;
    expect(body?.messages.at(-1)).toMatchObject({
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content, is_error: true }],
    });
  });
});
