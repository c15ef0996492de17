import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { stoppedAt } from '../../../src/testing/stopped-at.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, refusalOf, says } from '../support.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const SHARED = uniqueKey('shared');
const MINE = uniqueKey('mine');

const makeExecutor = useExecutors();
const toolList = [{ name: 'add_one', description: 'Adds one.', run: () => 2 }];

describe('execute_code for another loop', () => {
  it('is what an orchestrator gives its model', async () => {
    const { orchestrator, requests } = converse([says('Hello.')], { toolList });
    await orchestrator.run('Hi.');
    const { executor } = makeExecutor();
    const tool = codeTool({ executor, tools: new ToolRegistry(toolList) });
    const { name, description, inputSchema } = tool;
    expect(requests[0]?.tools).toEqual([{ name, description, inputSchema }]);
    expect(requests[0]?.system).toBe(tool.systemPrompt);
    expect(tool.systemPrompt).toContain('add_one');
  });

  it('tells the model the limits of its programs, and the same before and after one has run', async () => {
    const { executor } = makeExecutor({
      programTimeoutMs: 90_000,
      limits: { memoryBytes: 512 * 2 ** 20 },
    });
    const tool = codeTool({ executor });
    expect(tool.description.split('\n').at(-1)).toBe(
      'Limits: 90 s for each program, 512 MiB of memory, 16 MiB of files in /tmp and /dev/shm together.',
    );
    await tool.execute({ code: '1' });
    expect(codeTool({ executor }).description).toBe(tool.description);
    const shorter = codeTool({ executor, programTimeoutMs: 2500 });
    expect(shorter.description).toContain('Limits: 2.5 s for each program');
  });

  it('keeps the variables from call to call, and tells what happens', async () => {
    const { executor } = makeExecutor();
    const tool = codeTool({ executor, tools: new ToolRegistry(toolList) });
    const events: CodeEvent[] = [];
    const onEvent = (event: CodeEvent): void => void events.push(event);
    expect(await tool.execute({ code: 'x = await add_one()' }, { onEvent })).toMatchObject({
      isError: false,
      result: { toolCalls: 1 },
    });
    expect(events.map(({ type }) => type)).toEqual([
      ...[
        'program-started',
        'session-opened',
        'tool-call-started',
        'tool-call-ended',
        'program-ended',
      ],
    ]);
    expect(await tool.execute('{"code": "print(x)"}')).toMatchObject({ text: '2' });
    expect(await tool.sessionInfo()).toMatchObject({ key: tool.sessionKey, programs: 2 });
  });

  it('answers what the model does wrong', async () => {
    const { executor, provider } = makeExecutor({ languages: ['python', 'bash'] });
    const tool = codeTool({ executor });
    const notAnObject = expect.stringContaining('not a JSON object');
    for (const input of ['{"code": "prin', '[]', '5', null, undefined, []]) {
      expect(await tool.execute(input)).toMatchObject({ isError: true, text: notAnObject });
    }
    expect(await tool.execute({ code: 5 })).toMatchObject({
      isError: true,
      text: '`code` must be a string with the program.',
      result: undefined,
    });
    expect(await tool.execute({ code: 'ls', language: 'perl' })).toMatchObject({
      isError: true,
      text: '`language` must be one of python, bash. Nothing was run.',
    });
    expect(provider.created.size).toBe(0);
    const { text, isError } = await tool.execute({ code: 'print("so far")\n1 / 0' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^so far\n.*ZeroDivisionError/s);
  });

  it('offers the languages that it is given', () => {
    const { executor } = makeExecutor({ languages: ['python', 'bash'] });
    const bash = codeTool({ executor, languages: ['bash'] });
    expect(bash.systemPrompt).not.toContain('Python');
    expect(Object.keys(bash.inputSchema['properties'] ?? {})).not.toContain('language');
    expect(Object.keys(codeTool({ executor }).inputSchema['properties'] ?? {})).toContain(
      'language',
    );
  });

  it('gives up its sandbox between two calls if others need it, and says so in the next answer', async () => {
    const { executor } = makeExecutor({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const [one, two] = [codeTool({ executor }), codeTool({ executor })];
    await one.execute({ code: 'x = 1' });
    await two.execute({ code: 'y = 1' });
    const { text } = await one.execute({ code: 'print("x" in globals())' });
    expect(text).toMatch(/^False\n.*variables of earlier programs are gone/s);
    // Told once: the next program finds what this one left.
    expect((await one.execute({ code: 'print("again")' })).text).toBe('again');
  });

  it('keeps its sandbox while it is held', async () => {
    const { executor } = makeExecutor({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const [one, two] = [codeTool({ executor }), codeTool({ executor })];
    const hold = one.hold();
    await one.execute({ code: 'x = 1' });
    const waiting = two.execute({ code: 'print("in turn")' });
    await expect.poll(() => executor.stats().waiting).toBe(1);
    expect((await one.execute({ code: 'print(x)' })).text).toBe('1');
    await hold.release();
    expect((await waiting).text).toBe('in turn');
  });

  it('goes on in a new session if its own expired while it was held', async () => {
    const { executor } = makeExecutor({ sessionIdleTimeoutMs: 300 });
    const tool = codeTool({ executor });
    tool.hold();
    await tool.execute({ code: 'x = 1' });
    await expect.poll(async () => tool.sessionInfo()).toBeUndefined();
    const { text } = await tool.execute({ code: 'print("x" in globals())' });
    expect(text).toMatch(/^False\n.*variables of earlier programs are gone/s);
  });

  it('starts anew after a reset, also if the key had a session from before', async () => {
    const { executor } = makeExecutor();
    await executor.execute('x = "of another"', { sessionKey: SHARED });
    const tool = codeTool({ executor, sessionKey: SHARED });
    await tool.reset();
    expect((await tool.execute({ code: 'print("x" in globals())' })).text).toBe('False');
    await tool.execute({ code: 'x = 2' });
    await tool.reset();
    expect(executor.activeSessions).toEqual([]);
    expect((await tool.execute({ code: 'print("x" in globals())' })).text).toBe('False');
  });

  it('ends its session when it closes, unless the key was given', async () => {
    const { executor } = makeExecutor();
    const own = codeTool({ executor });
    const keyed = codeTool({ executor, sessionKey: MINE });
    await Promise.all([own.execute({ code: '1' }), keyed.execute({ code: '1' })]);
    await Promise.all([own.close(), keyed.close()]);
    expect(executor.activeSessions.map(({ key }) => key)).toEqual([MINE]);
  });

  it('throws what the program did not cause, such as an abort, and sends its end', async () => {
    const { executor } = makeExecutor();
    const tool = codeTool({ executor });
    const signal = AbortSignal.abort();
    const events: CodeEvent[] = [];
    const onEvent = (event: CodeEvent): void => void events.push(event);
    const error = await refusalOf(tool.execute({ code: '1' }, { signal, onEvent }));
    expect(error).toMatchObject({ code: 'ABORTED' });
    const { code, message } = error;
    expect(events).toMatchObject([
      { type: 'program-started' },
      { type: 'program-ended', result: undefined, error: { code, message } },
    ]);
  });

  it('ends a call that is aborted while it waits for the one before it', async () => {
    const called = createDeferred<void>();
    const opened = createDeferred<void>();
    const gate = {
      name: 'gate',
      description: 'Waits.',
      run: async () => {
        called.resolve();
        await opened.promise;
      },
    };
    const { executor } = makeExecutor({ tools: [gate] });
    const tool = codeTool({ executor });
    const first = tool.execute({ code: 'await gate()\nprint("first")' });
    await called.promise;
    const aborter = new AbortController();
    const second = refusalOf(tool.execute({ code: '1' }, { signal: aborter.signal }));
    const reason = new Error('Enough.');
    aborter.abort(reason);
    expect(await second).toMatchObject({ code: 'ABORTED', cause: reason });
    opened.resolve();
    expect((await first).text).toBe('first');
  });

  it('tells each error of the host before it throws it, to whom the call names or else the tool does', async () => {
    const failing = new PtcError('SANDBOX_UNAVAILABLE', 'No sandbox starts.');
    const { executor } = makeExecutor({
      provider: { ...unisolatedLocalProvider(), create: async () => Promise.reject(failing) },
    });
    const told: [string, unknown][] = [];
    const tool = codeTool({ executor, onHostError: (error) => void told.push(['tool', error]) });
    const error = await refusalOf(tool.execute({ code: '1' }));
    expect(error.code).toBe('SANDBOX_UNAVAILABLE');
    const onHostError = (thrown: unknown): void => {
      told.push(['call', thrown]);
      throw new Error('A listener that fails replaces no error.');
    };
    const second = await refusalOf(tool.execute({ code: '1' }, { onHostError }));
    const third = await refusalOf(tool.execute({ code: '1' }, { timeout: 1 } as never));
    expect(third.code).toBe('OPTION_INVALID');
    expect(told).toEqual([
      ['tool', error],
      ['call', second],
      ['tool', third],
    ]);
  });

  it('tells nobody of mistakes of the model, or of a call that the caller aborts', async () => {
    const { executor } = makeExecutor();
    const onHostError = vi.fn<(error: unknown) => void>();
    const tool = codeTool({ executor, onHostError });
    await tool.execute({ code: 'raise ValueError()' });
    await tool.execute({ code: 5 });
    await refusalOf(tool.execute({ code: '1' }, { signal: AbortSignal.abort() }));
    expect(onHostError).not.toHaveBeenCalled();
  });

  it('warns of an error of the host if nobody else is told', async () => {
    const { executor } = makeExecutor();
    const tool = codeTool({ executor });
    await executor.close();
    const warning = once(process, 'warning');
    const { message } = await refusalOf(tool.execute({ code: '1' }));
    expect(await warning).toMatchObject([
      { code: 'PTC_HOST_ERROR', message: expect.stringContaining(message) },
    ]);
  });

  it('takes only functions as listeners of errors', async () => {
    const { executor } = makeExecutor();
    const onHostError = 5 as never;
    expect(() => codeTool({ executor, onHostError })).toThrow('onHostError must be a function');
    const tool = codeTool({ executor, onHostError: () => {} });
    const error = await refusalOf(tool.execute({ code: '1' }, { onHostError }));
    expect(error).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('onHostError must be a function'),
    });
  });

  it('says which tool calls of a stopped program were done, and which were not', async () => {
    const { executor } = makeExecutor();
    const order = {
      name: 'order',
      description: 'Orders.',
      inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
      run: async (input: unknown) =>
        (input as { item: string }).item === 'desk' ? 'ordered' : new Promise(() => {}),
    };
    const tools = new ToolRegistry([order]);
    const { text } = await stoppedAt<{ readonly text: string }>(
      ({ text: told }) => told.includes('piano'),
      async (timeoutMs) =>
        codeTool({ executor, tools, programTimeoutMs: timeoutMs }).execute({
          code: 'await order("desk")\nawait order("piano")',
        }),
    );
    expect(text.split('\n').slice(-3)).toEqual([
      '[This program did not finish. The tool calls that it had made:]',
      'order({"item":"desk"}): done, "ordered"',
      'order({"item":"piano"}): it is not known whether this was done',
    ]);
  });
});
