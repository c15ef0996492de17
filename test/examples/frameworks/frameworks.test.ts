import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { requireBuild, StartedProcess, type Finished } from '../../support/built-package.ts';
import { startReplyingServer, type ReplyingServer } from '../../support/replying-server.ts';
import { skippedFor } from '../../support/skipped.ts';
import { DIRECTORY } from './install.mjs';

const FRAMEWORKS = ['openai-agents', 'langchain', 'mastra'] as const;
const SUM = 'sales = await query_sales(region="East")\nprint(sum(s["revenue"] for s in sales))';
const LAST = 'The East sold for 300.';

const { path: node = '', missing } = inject('newerNode');
const NO_NODE = missing && 'the frameworks need Node 22, and npm has none for this machine';

let directory = '';
let app = '';

// The frameworks and this package are where Node finds them from a project of a user.
beforeAll(async () => {
  requireBuild();
  directory = await mkdtemp(join(tmpdir(), 'frameworks-'));
  app = join(directory, 'app');
  await mkdir(join(directory, 'node_modules'));
  await symlink(resolve('.'), join(directory, 'node_modules/sandboxed-ptc'), 'junction');
  await cp('examples/agent-loops', app, { recursive: true });
  await symlink(join(DIRECTORY, 'node_modules'), join(app, 'node_modules'), 'junction');
});

afterAll(async () => rm(directory, { recursive: true, force: true }));

/** A service with the API of chat completions, whose model runs a program and then answers. */
async function startModel(code: string): Promise<ReplyingServer> {
  const call = { name: 'execute_code', arguments: JSON.stringify({ code }) };
  const tool_calls = [{ id: 'call_1', type: 'function', function: call }];
  const answers = [
    completion('first', 'tool_calls', { content: null, tool_calls }),
    completion('last', 'stop', { content: LAST }),
  ];
  return startReplyingServer(answers, (response, answer) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
}

function completion(id: string, finish_reason: string, fields: object): object {
  const message = { role: 'assistant', refusal: null, ...fields };
  const choices = [{ index: 0, message, logprobs: null, finish_reason }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return { id, object: 'chat.completion', created: 1, model: 'gpt-test', choices, usage };
}

async function run(
  file: string,
  { origin }: ReplyingServer,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const service = { OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: 'none' };
  const started = new StartedProcess(node, [join(app, file)], { env: { ...service, ...env } });
  started.child.stdin.end();
  return started.finished();
}

/** The text that the model got for its call of `execute_code`. */
function toolText({ requests }: ReplyingServer): string | undefined {
  const body = requests[1]?.body as { readonly messages: readonly Message[] } | undefined;
  return body?.messages.find(({ role }) => role === 'tool')?.content;
}

interface Message {
  readonly role: string;
  readonly content: string;
}

describe.each(FRAMEWORKS)('examples/agent-loops/%s.mjs', (name) => {
  it('has at most 40 lines', async () => {
    const text = await readFile(`examples/agent-loops/${name}.mjs`, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it(
    'runs the program of the model, and gives it what that printed',
    skippedFor(NO_NODE),
    async () => {
      await using model = await startModel(SUM);
      const { status, stdout, stderr } = await run(`${name}.mjs`, model);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${LAST}\n`, stderr: '' });
      const [first] = model.requests.map(({ body }) => JSON.stringify(body));
      expect(first).toContain('query_sales');
      expect(toolText(model)).toBe('300');
    },
  );

  it('gives the model the error of a program that fails', skippedFor(NO_NODE), async () => {
    await using model = await startModel('print("so far")\n1 / 0');
    const { status, stderr } = await run(`${name}.mjs`, model);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(toolText(model)).toMatch(/^so far\n.*ZeroDivisionError/s);
  });

  it('an error of the host ends the loop and not in an apology', skippedFor(NO_NODE), async () => {
    const text = await readFile(join(app, `${name}.mjs`), 'utf8');
    const failing = text.replace('SandboxExecutor()', "SandboxExecutor({ provider: 'docker' })");
    expect(failing).not.toBe(text);
    await writeFile(join(app, `failing-${name}.mjs`), failing);
    await using model = await startModel(SUM);
    const env = { DOCKER_HOST: 'unix:///no/such/engine.sock' };
    const { status, stdout, stderr } = await run(`failing-${name}.mjs`, model, env);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain("code: 'SANDBOX_UNAVAILABLE'");
    expect(model.requests).toHaveLength(1);
  });
});
