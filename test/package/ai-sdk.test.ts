import { readFile } from 'node:fs/promises';
import { describe, expect, inject, it } from 'vitest';
import { run } from './project.ts';

const directory = inject('clients');

/** What the loop of the page takes as given: an application, and a model that calls execute_code, and then says this. */
const given = (code: string): string => `
import { MockLanguageModelV4 } from 'ai/test';
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const answer = (content, unified) => ({ content: [content], finishReason: { unified }, usage, warnings: [] });
const input = ${JSON.stringify(JSON.stringify({ code }))};
const model = new MockLanguageModelV4({
  doGenerate: [
    answer({ type: 'tool-call', toolCallId: 'a', toolName: 'execute_code', input }, 'tool-calls'),
    answer({ type: 'text', text: 'I am sorry.' }, 'stop'),
  ],
});
const [chat, prompt, getInventory, getDemand] = [{ id: 'chat' }, 'How many?', {}, {}];
process.on('exit', () => console.log('requests: ' + model.doGenerateCalls.length));
const registryOf = () => new ToolRegistry([]);
`;

/** The loop of docs/migration.md, from its imports to its result. */
async function loop(code: string): Promise<string> {
  const page = await readFile('docs/migration.md', 'utf8');
  const blocks = page.matchAll(/^```js\n(import \{ generateText, .*?)^```$/gms);
  const [program = ''] = Array.from(blocks, ([, block = '']) => block);
  return `import { ToolRegistry } from 'sandboxed-ptc';\n${given(code)}\n${program}`;
}

interface Run {
  readonly ending: string;
  readonly provider?: string;
  readonly engine?: string;
  readonly code?: string;
}

async function runLoop({
  ending,
  provider = 'auto',
  engine = '',
  code = 'console.log(40 + 2)',
}: Run): Promise<string> {
  const options = `SandboxExecutor({ provider: ${JSON.stringify(provider)},`;
  const program = (await loop(code)).replace('SandboxExecutor({', options);
  const evaluated = ['--input-type=module', '--eval', `${program}\n${ending}`];
  const environment = { NODE_NO_WARNINGS: '1', ...(engine !== '' && { DOCKER_HOST: engine }) };
  return run(process.execPath, evaluated, directory, environment);
}

describe('the loop of the AI SDK in docs/migration.md', () => {
  it('gives the model what its program printed', async () => {
    const ending = `
      const [, { prompt: seen }] = model.doGenerateCalls;
      console.log(result.text, JSON.stringify(seen.at(-1).content[0].output));
      await executor.close();`;
    const printed = runLoop({ ending });
    await expect(printed).resolves.toBe('I am sorry. {"type":"text","value":"42"}\nrequests: 2\n');
  });

  it('marks the result of a program that fails as an error', async () => {
    const ending = `
      const [, { prompt: seen }] = model.doGenerateCalls;
      const { type, value } = seen.at(-1).content[0].output;
      console.log(type, value.startsWith('so far\\n'), value.includes('RangeError: too many'));
      await executor.close();`;
    const code = 'console.log("so far"); throw new RangeError("too many");';
    const printed = runLoop({ ending, code });
    await expect(printed).resolves.toBe('error-text true true\nrequests: 2\n');
  });

  it('ends with an error of the host, and asks the model for no apology', async () => {
    const ending = 'console.log(result.text);';
    const engine = 'unix:///no/such/engine.sock';
    const outcome = runLoop({ ending, provider: 'docker', engine });
    await expect(outcome).rejects.toThrow("code: 'SANDBOX_UNAVAILABLE'");
    await expect(outcome).rejects.toThrow(/^requests: 1$/m);
  });
});
