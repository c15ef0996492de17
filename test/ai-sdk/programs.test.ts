import { randomUUID } from 'node:crypto';
import { generateText, jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { executeCodeTool, type AiSdkCall } from '../../src/ai-sdk/index.ts';
import { OutputSoFar } from '../../src/ai-sdk/code/output-so-far.ts';
import { inBackground } from '../../src/shared/async/background.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { PIXEL } from '../support/images.ts';
import { useBench } from '../support/bench.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { SourceOfTest } from '../support/source-of-test.ts';
import { collect, modelThat, resultsIn, thrownBy, type Step } from './support.ts';

const bench = useBench({ languages: ['python', 'javascript'] });
const SORRY: Step = { text: 'I am sorry.' };
const loop = { stopWhen: stepCountIs(4), prompt: 'How many?' };

type Options = Partial<Parameters<typeof executeCodeTool>[0]>;

const toolFor = (options: Options = {}): ReturnType<typeof executeCodeTool> =>
  executeCodeTool({ executor: bench.executor, sessionKey: randomUUID(), ...options });

/** What the model gets for a program. */
async function resultOf(code: string, options: Options = {}): Promise<unknown> {
  const model = modelThat({ code }, SORRY);
  await generateText({ model, tools: { execute_code: toolFor(options) }, ...loop });
  return resultsIn(model)[0];
}

describe('execute_code of the AI SDK', () => {
  it('tells the model the functions of its tools, with their types', async () => {
    const find = tool({
      description: 'Finds orders.',
      inputSchema: z.object({ customer: z.string() }),
      outputSchema: z.array(z.number()),
      execute: () => [7],
    });
    const model = modelThat(SORRY);
    const tools = { execute_code: toolFor({ tools: { find } }) };
    await generateText({ model, tools, ...loop });
    const [given] = model.doGenerateCalls[0]?.tools ?? [];
    expect(model.doGenerateCalls[0]?.tools).toHaveLength(1);
    expect(given).toMatchObject({
      name: 'execute_code',
      inputSchema: { properties: { code: { type: 'string' }, language: {} } },
    });
    expect(given).toHaveProperty(
      'description',
      expect.stringMatching(/find\(.*customer: str.*list\[float\].*Finds orders\./s),
    );
  });

  it('cuts long output at the limit that is set, and says where all of it is', async () => {
    expect(await resultOf('print("x" * 3000)', { maxResultBytes: 1000 })).toEqual({
      type: 'text',
      value: expect.stringMatching(/^.{1,500}\n[^]*All of it is in \/tmp\/full-output\/1\.txt: /),
    });
  });

  it('marks the result of a program that fails as an error', async () => {
    expect(await resultOf('print("so far")\n1 / 0')).toEqual({
      type: 'error-text',
      value: expect.stringMatching(/^so far\n.*ZeroDivisionError/s),
    });
  });

  it.each([
    [
      'gives the model the images that a program shows, if it should',
      { showImages: true },
      {
        type: 'content',
        value: [
          { type: 'text', text: '[The program showed 1 image.]' },
          // Version 7 gives it another name.
          {
            type: expect.stringMatching(/^(image|file)-data$/),
            mediaType: 'image/png',
            data: PIXEL,
          },
        ],
      },
    ],
    [
      'tells the model how many images a program shows, which it does not get',
      {},
      {
        type: 'text',
        value: '[The program showed 1 image.]\n[You cannot see images here.]',
      },
    ],
  ])('%s', async (_, options, expected) => {
    const code = `import base64\nshow(base64.b64decode("${PIXEL}"))`;
    expect(await resultOf(code, options)).toMatchObject(expected);
  });

  it('tells the model what is wrong with its input', async () => {
    const execute_code = toolFor();
    const [answer] = await collect(
      execute_code.execute({ code: 'x', language: 'cobol' }, { toolCallId: '1', messages: [] }),
    );
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('python') });
  });

  it('keeps the variables of a key, and tells the model if they are gone', async () => {
    const sessionKey = randomUUID();
    const model = modelThat(
      { code: 'kept = 41' },
      { code: 'print(kept + 1)' },
      { code: 'print("kept" in globals())' },
      SORRY,
    );
    const execute_code = toolFor({ sessionKey });
    const onStepFinish = async ({ toolCalls }: { toolCalls: readonly unknown[] }) => {
      const isSecond = JSON.stringify(toolCalls).includes('kept + 1');
      if (isSecond) await bench.executor.closeSession({ key: sessionKey });
    };
    await generateText({ model, tools: { execute_code }, ...loop, onStepFinish });
    expect(resultsIn(model)).toMatchObject([
      {},
      { value: '42' },
      { value: 'False\n[The session was new: variables of earlier programs are gone.]' },
    ]);
  });

  it('takes the key of each call from a function', async () => {
    const keys = [randomUUID(), randomUUID()];
    const execute_code = toolFor({
      sessionKey: ({ context, experimental_context: former }: AiSdkCall) =>
        (context ?? former) as string,
    });
    const printed = async (context: string | undefined, code: string): Promise<unknown> => {
      const call = { toolCallId: '1', messages: [], context, experimental_context: context };
      return (await collect(execute_code.execute({ code }, call))).at(-1)?.text;
    };
    await printed(keys[0], 'kept = 1');
    expect(await printed(keys[0], 'print(kept)')).toBe('1');
    expect(await printed(keys[1], 'print("kept" in globals())')).toBe('False');
  });

  it('has the tools of the executor as they are now: one that was removed cannot be called', async () => {
    const definition = { description: 'Answers.', run: () => 'old' };
    const made = { a: { ...definition, name: 'a' }, b: { ...definition, name: 'b' } };
    const source = new SourceOfTest('own', [made.a, made.b]);
    const tools = new ToolRegistry();
    tools.addSource(source);
    await using executor = new SandboxExecutor({ provider: unisolatedLocalProvider(), tools });
    const execute_code = toolFor({ executor });
    source.change([{ ...made.b, run: () => 'new' }]);
    const code = 'print(await own.b())\nprint(await own.a())';
    const answer = await collect(execute_code.execute({ code }, { toolCallId: '1', messages: [] }));
    expect(answer.at(-1)).toMatchObject({ isError: true });
    expect(answer.at(-1)?.text).toMatch(/^new\n.*there is no tool own\.a/s);
  });

  it('is a tool of an agent', async () => {
    const model = modelThat({ code: 'print(6 * 7)' }, { text: '42.' });
    const agent = new ToolLoopAgent({ model, tools: { execute_code: toolFor() } });
    expect((await agent.generate({ prompt: 'How many?' })).text).toBe('42.');
    expect(resultsIn(model)).toEqual([{ type: 'text', value: '42' }]);
  });
});

describe('the output of a program in streamText', () => {
  it('arrives while the program runs, and the last result is what the model gets', async () => {
    let go = (): void => {};
    const seen = new Promise<void>((resolve) => {
      go = resolve;
    });
    const wait = tool({ inputSchema: z.object({}), execute: async () => seen });
    const model = modelThat(
      { code: 'print("begun", flush=True)\nawait wait()\nprint("done")' },
      SORRY,
    );
    const result = streamText({
      model,
      tools: { execute_code: toolFor({ tools: { wait } }) },
      ...loop,
    });
    const outputs: unknown[] = [];
    for await (const part of result.fullStream) {
      if (part.type !== 'tool-result') continue;
      const { output, preliminary = false } = part;
      outputs.push([preliminary, output]);
      // The program goes on only now.
      if ((output as { text: string }).text === 'begun\n') go();
    }
    expect(outputs[0]).toEqual([true, { text: 'begun\n', isError: false }]);
    expect(outputs.at(-1)).toEqual([false, { text: 'begun\ndone', isError: false }]);
    expect(resultsIn(model)).toEqual([{ type: 'text', value: 'begun\ndone' }]);
  });

  it('is bounded however it arrives', async () => {
    const output = new OutputSoFar();
    let isDue = false;
    let shown = 0;
    const becomeDue = async (): Promise<void> => {
      await output.due;
      isDue = true;
    };
    const watch = (): void => {
      isDue = false;
      inBackground(becomeDue());
    };
    watch();
    for (let length = 1; length <= 60_000; length += 1) {
      output.add('x');
      await Promise.resolve();
      if (!isDue) continue;
      shown += output.take().length;
      watch();
    }
    expect(output.text).toHaveLength(50_000);
    expect(shown).toBeGreaterThan(50_000);
    expect(shown).toBeLessThan(10 * 50_000);
  });
});

describe('a call that is aborted', () => {
  it('ends its program, and generateText with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('The user left.');
    let given: AbortSignal | undefined;
    const wait = tool({
      inputSchema: z.object({}),
      execute: async (_input, { abortSignal }) => {
        given = abortSignal;
        stop.abort(reason);
        return new Promise(() => {});
      },
    });
    const model = modelThat({ code: 'await wait()' }, SORRY);
    const tools = { execute_code: toolFor({ tools: { wait } }) };
    const asked = generateText({ model, tools, ...loop, abortSignal: stop.signal });
    await expect(asked).rejects.toBeInstanceOf(Error);
    // And not because the time of the call was up.
    expect(String(given?.reason)).toContain('the program that made this call has ended');
    expect(JSON.stringify(model.doGenerateCalls)).not.toContain('sorry');
  });
});

describe('an error of the host', () => {
  const closed = async (): Promise<SandboxExecutor> => {
    const executor = new SandboxExecutor();
    await executor.close();
    return executor;
  };

  it('ends generateText, and the model never gets it', async () => {
    const model = modelThat({ code: 'print(1)' }, SORRY);
    const tools = { execute_code: toolFor({ executor: await closed() }) };
    await expect(generateText({ model, tools, ...loop })).rejects.toMatchObject({ code: 'CLOSED' });
    expect(model.doGenerateCalls).toHaveLength(1);
  });

  it('ends streamText: its stream and its promises fail with it', async () => {
    const model = modelThat({ code: 'print(1)' }, SORRY);
    const tools = { execute_code: toolFor({ executor: await closed() }) };
    const result = streamText({ model, tools, ...loop, onError: () => {} });
    await expect(result.text).rejects.toMatchObject({ code: 'CLOSED' });
    expect(model.doStreamCalls).toHaveLength(1);
    const read = streamText({ model: modelThat({ code: '1' }), tools, ...loop, onError: () => {} });
    await expect(collect(read.fullStream)).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('options of executeCodeTool', () => {
  it.each([
    [{ executor: undefined }, /needs the option executor/],
    [{ sessionKey: undefined }, /needs the option sessionKey/],
    [{ sessionKey: '' }, /sessionKey/],
    [{ sesionKey: 'a' }, /Did you mean sessionKey\?/],
    [{ programTimeoutMs: -1 }, /programTimeoutMs/],
  ])('that are wrong are refused at once: %j', (wrong, message) => {
    const options = { executor: bench.executor, sessionKey: 'a', ...wrong };
    expect(thrownBy(() => executeCodeTool(options as never))).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('may not have two tools of one name', () => {
    const own = bench.executor.tools.list();
    expect(own).toEqual([]);
    const a = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 1 });
    const tools = { 'a-b': a, a_b: { ...a } };
    expect(thrownBy(() => toolFor({ tools }))).toMatchObject({ code: 'TOOL_NAME_CLASH' });
  });
});
