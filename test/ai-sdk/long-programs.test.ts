import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { generateText, stepCountIs } from 'ai';
import { expect, it } from 'vitest';
import {
  executeCodeTool,
  type ExecuteCodeInput,
  type ExecuteCodeOutput,
} from '../../src/ai-sdk/index.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { useExecutors } from '../sessions/support.ts';
import { collect, modelThatCalls, resultsIn } from './support.ts';

const makeExecutor = useExecutors();
/** Longer than any program here takes. */
const NEVER_MS = 300_000;
const CODE = 'print("begun", flush=True)\nprint(await gate())';

/** `gate` returns when the test opens it, and fails when its call is aborted. */
function start(options: { readonly yieldAfterMs?: number } = { yieldAfterMs: 1 }) {
  const [opened, called, aborted] = [
    createDeferred<string>(),
    createDeferred<void>(),
    createDeferred<string>(),
  ];
  const gate = {
    name: 'gate',
    description: 'Waits.',
    run: async (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
      called.resolve();
      signal.addEventListener('abort', () => aborted.resolve('aborted'));
      return opened.promise;
    },
  };
  const { executor } = makeExecutor({ tools: [gate] });
  const sessionKey = randomUUID();
  const tools = { execute_code: executeCodeTool({ executor, sessionKey, ...options }) };
  return { tools, executor, opened, called, aborted };
}

const idIn = (result: string): string => /Program (\w{8}) /.exec(result)?.[1] ?? 'none';
const textsOf = (model: Parameters<typeof resultsIn>[0]): string[] =>
  resultsIn(model).map((output) => (output as { readonly value: string }).value);
const asked = { stopWhen: stepCountIs(6), prompt: 'Go.' };

it('the model goes on with its program in the steps of one request', async () => {
  const { tools, opened } = start();
  const model = modelThatCalls(
    () => ({ code: CODE }),
    () => ({ code: 'print("another")' }),
    (refused) => {
      opened.resolve('open');
      return { program: idIn(refused), wait_ms: NEVER_MS };
    },
    () => ({ code: 'print("later")' }),
    // It may take longer than a millisecond as well. If it has ended, there is no such program.
    (later) => ({ program: idIn(later), wait_ms: NEVER_MS }),
  );
  const { text } = await generateText({ model, tools, ...asked });
  const [first, refused, ended, later, last] = textsOf(model);
  expect(text).toBe('Done.');
  expect(first).toMatch(/\[Program \w{8} still runs/);
  expect(refused).toContain('one program runs at a time');
  expect(`${first}\n${ended}`).toMatch(/^begun$[^]*^open$/m);
  expect(`${later}\n${last}`).toMatch(/^later$/m);
});

it('the model goes on with it in the next request of the chat, and can stop it', async () => {
  const { tools, called } = start();
  let id = '';
  await generateText({ model: modelThatCalls(() => ({ code: CODE })), tools, ...asked });
  await called.promise;
  const model = modelThatCalls(
    () => ({ code: 'print(1)' }),
    (refused) => {
      id = idIn(refused);
      return { program: id, stop: true };
    },
    () => ({ program: id }),
  );
  await generateText({ model, tools, ...asked });
  const [, stopped, gone] = textsOf(model);
  expect(stopped).toContain('gate({}): it is not known whether this was done');
  expect(gone).toContain(`There is no program "${id}"`);
});

it('the signal of its request stops it, also after the call was answered', async () => {
  const { tools, called, aborted } = start();
  const aborter = new AbortController();
  const model = modelThatCalls(
    () => ({ code: CODE }),
    async () => {
      await called.promise;
      aborter.abort();
      return 'Never read.';
    },
  );
  const request = generateText({ model, tools, ...asked, abortSignal: aborter.signal });
  await request.catch(() => {});
  expect(await aborted.promise).toBe('aborted');
});

it('its calls leave no listener on the signal of their request when it has ended', async () => {
  const { tools, called, opened } = start();
  const { signal } = new AbortController();
  const answerTo = async (input: ExecuteCodeInput): Promise<ExecuteCodeOutput | undefined> => {
    const call = { toolCallId: '1', messages: [], abortSignal: signal };
    return (await collect(tools.execute_code.execute(input, call))).at(-1);
  };
  const { program = '' } = (await answerTo({ code: CODE })) ?? {};
  await called.promise;
  expect(await answerTo({ program, wait_ms: 1 })).toMatchObject({ program });
  opened.resolve('open');
  expect(await answerTo({ program, wait_ms: NEVER_MS })).toMatchObject({ isError: false });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('a program of another chat cannot be named', async () => {
  const { tools } = start();
  const other = start();
  const first = modelThatCalls(
    () => ({ code: CODE }),
    (result) => idIn(result),
  );
  const { text: id } = await generateText({ model: first, tools, ...asked });
  const model = modelThatCalls(() => ({ program: id, stop: true }));
  await generateText({ model, tools: other.tools, ...asked });
  expect(textsOf(model)[0]).toContain('There is no program');
});

it('a program that reports a text is answered at once', async () => {
  const { tools, opened } = start({ yieldAfterMs: NEVER_MS });
  const model = modelThatCalls(
    () => ({ code: `report("half")\n${CODE}` }),
    (result) => {
      opened.resolve('open');
      return { program: idIn(result), wait_ms: NEVER_MS };
    },
  );
  await generateText({ model, tools, ...asked });
  const [half, ended] = textsOf(model);
  expect(half).toMatch(/^half\n/);
  expect(ended).toMatch(/open$/);
});

it('the model is told of it with the option alone', async () => {
  const [long, plain] = [start(), start({})];
  const given: string[] = [];
  for (const { tools } of [long, plain]) {
    const model = modelThatCalls();
    await generateText({ model, tools, ...asked });
    given.push(JSON.stringify(model.doGenerateCalls[0]?.tools));
  }
  expect(given[0]).toMatch(/wait_ms/);
  expect(given[1]).not.toMatch(/wait_ms|report/);
});
