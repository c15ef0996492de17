import { expect, it } from 'vitest';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { CodeToolOptions } from '../../../src/orchestrator/code/code-tool-options.ts';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { refusalOf } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const makeExecutor = useExecutors();

const UNTIL_ENDED = 300_000;

/** `gate(name)` returns when the test opens it. */
function makeTool(options: Partial<CodeToolOptions> = {}, limits: SandboxExecutorOptions = {}) {
  const gates = new Map<string, { readonly opened: Deferred<string>; called: Deferred<void> }>();
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? { opened: createDeferred(), called: createDeferred() };
    gates.set(name, gate);
    return gate;
  };
  const gate = defineTool<{ name: string }>({
    name: 'gate',
    description: 'Waits.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run: async ({ name }) => {
      const { opened, called } = gateOf(name);
      called.resolve();
      return opened.promise;
    },
  });
  const { executor, provider } = makeExecutor({ tools: [gate], ...limits });
  const tool = codeTool({ executor, yieldAfterMs: 1, ...options });
  const events: CodeEvent[] = [];
  return {
    tool,
    executor,
    provider,
    events,
    called: async (name: string) => gateOf(name).called.promise,
    open: (name: string) => gateOf(name).opened.resolve(`${name} is open`),
    run: async (input: unknown) => tool.execute(input, { onEvent: (event) => events.push(event) }),
  };
}

const TWO_GATES = `
print("begun")
print(await gate(name="a"))
print(await gate(name="b"))
`;

it('a program that takes longer goes on, and each answer has only what is new', async () => {
  const { run, called, open, events } = makeTool();
  const first = await run({ code: TWO_GATES });
  const { program = '' } = first;
  expect(first).toMatchObject({ isError: false, result: undefined });
  expect(first.text).toContain(`[Program ${program} still runs, after `);
  await called('a');
  const begun = await run({ program, wait_ms: 0 });
  expect(begun.text).toContain('gate({"name":"a"}): not ended yet');
  open('a');
  await called('b');
  const second = await run({ program, wait_ms: 0 });
  expect(second.text).toContain('gate({"name":"b"}): not ended yet');
  expect(second.text).not.toContain('"name":"a"');
  open('b');
  const last = await run({ program, wait_ms: UNTIL_ENDED });
  expect(last).toMatchObject({ isError: false, result: { toolCalls: 2 } });
  expect(last.program).toBeUndefined();
  const texts = [first, begun, second, last].map(({ text }) => text).join('\n');
  const printed = texts.split('\n').filter((line) => /^(begun|[ab] is open)$/.test(line));
  expect(printed).toEqual(['begun', 'a is open', 'b is open']);
  expect(last.result?.stdout).toBe(`${printed.join('\n')}\n`);
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === 'program-yielded')).toHaveLength(3);
  expect(types.filter((type) => type === 'program-ended')).toHaveLength(1);
});

it('a program that ends in time is answered as without the option', async () => {
  const { run, events } = makeTool({ yieldAfterMs: UNTIL_ENDED });
  expect(await run({ code: 'x = 1\nprint("done")' })).toMatchObject({
    text: 'done',
    result: { status: 'ok' },
  });
  expect((await run({ code: 'print(x)' })).text).toBe('1');
  expect(events.map(({ type }) => type)).toEqual([
    ...['program-started', 'session-opened', 'output-delta', 'program-ended'],
    ...['program-started', 'output-delta', 'program-ended'],
  ]);
});

it('another program is refused until the model has read how the first ended', async () => {
  const { run, called, open } = makeTool();
  const { program = '' } = await run({ code: 'found = await gate(name="a")' });
  await called('a');
  expect(await run({ code: 'print(1)' })).toMatchObject({
    isError: true,
    text: `Program ${program} still runs, and one program runs at a time. Wait for it with {"program":"${program}"}, or stop it with {"program":"${program}","stop":true}, then send this program again. Nothing was run.`,
  });
  open('a');
  expect(await run({ program, wait_ms: UNTIL_ENDED })).toMatchObject({ isError: false });
  const { program: next = '', text } = await run({ code: 'print(found)' });
  const printed = next === '' ? text : (await run({ program: next, wait_ms: UNTIL_ENDED })).text;
  expect(`${text}\n${printed}`).toContain('a is open');
});

it('the model can stop it, and is told what it had done', async () => {
  const { run, called } = makeTool();
  const { program = '' } = await run({ code: TWO_GATES });
  await called('a');
  const stopped = await run({ program, stop: true });
  expect(stopped).toMatchObject({ isError: true, result: { status: 'cancelled' } });
  expect(stopped.text).toContain('gate({"name":"a"}): it is not known whether this was done');
  const again = await run({ program });
  expect(again.text).toContain(`There is no program "${program}"`);
});

it('the signal of its call stops it, also after that call was answered', async () => {
  const { tool, run, called } = makeTool();
  const aborter = new AbortController();
  const { program = '' } = await tool.execute({ code: TWO_GATES }, { signal: aborter.signal });
  await called('a');
  aborter.abort();
  const { result } = await run({ program, wait_ms: UNTIL_ENDED });
  expect(result?.status).toBe('cancelled');
});

it('the signal of a call that waits for it stops it', async () => {
  const { tool, run, called } = makeTool();
  const { program = '' } = await run({ code: TWO_GATES });
  await called('a');
  const aborter = new AbortController();
  const waiting = tool.execute({ program, wait_ms: UNTIL_ENDED }, { signal: aborter.signal });
  aborter.abort();
  expect((await waiting).result?.status).toBe('cancelled');
});

it('a program whose call is aborted while it waits for another call does not run', async () => {
  const { tool, run, called, open } = makeTool({ yieldAfterMs: UNTIL_ENDED });
  const first = run({ code: 'await gate(name="a")\nprint("first")' });
  await called('a');
  const aborter = new AbortController();
  const second = refusalOf(tool.execute({ code: 'ran = 1' }, { signal: aborter.signal }));
  aborter.abort();
  expect((await second).code).toBe('ABORTED');
  open('a');
  expect((await first).text).toBe('first');
  expect((await run({ code: 'print("ran" in globals())' })).text).toBe('False');
});

it('the signal of a call that waits for another call about it stops it', async () => {
  const { tool, run, called } = makeTool();
  const { program = '' } = await run({ code: TWO_GATES });
  await called('a');
  const first = run({ program, wait_ms: UNTIL_ENDED });
  const aborter = new AbortController();
  const second = refusalOf(tool.execute({ program }, { signal: aborter.signal }));
  aborter.abort();
  expect((await second).code).toBe('ABORTED');
  expect((await first).result?.status).toBe('cancelled');
});

it.each(['close', 'reset'] as const)(
  '%s stops it, with a key of the caller too',
  async (method) => {
    const { tool, run, called, events } = makeTool({ sessionKey: `long-${method}` });
    const { program = '' } = await run({ code: TWO_GATES });
    await called('a');
    await tool[method]();
    expect(events.at(-1)).toMatchObject({ type: 'program-ended', result: { status: 'cancelled' } });
    expect((await run({ program })).text).toContain('There is no program');
  },
);

it('its time limit goes on', async () => {
  const { run } = makeTool({ programTimeoutMs: 500 });
  const { program = '' } = await run({ code: 'import time\nwhile True: time.sleep(0.01)' });
  const { result } = await run({ program, wait_ms: UNTIL_ENDED });
  expect(result?.status).toBe('timeout');
});

it('its session is not evicted while it runs, and is when it has ended', async () => {
  const limits = { maxSandboxes: 1, whenFull: { action: 'evict', timeoutMs: 300_000 } } as const;
  const { run, called, open, executor } = makeTool({}, limits);
  const { program = '' } = await run({ code: TWO_GATES });
  await called('a');
  const another = executor.acquire({ sessionKey: uniqueKey('another') });
  open('a');
  open('b');
  const { result } = await run({ program, wait_ms: UNTIL_ENDED });
  expect(result?.status).toBe('ok');
  await using session = await another;
  expect(session.isNew).toBe(true);
});

it.each([
  [{ program: 'abc', code: 'print(1)' }, 'Send either `code`'],
  [{ program: 7 }, '`program` must be a string'],
  [{ program: 'abc', wait_ms: -1 }, '`wait_ms` must be a whole number from 0 to 300000'],
  [{ program: 'abc', wait_ms: 300_001 }, '`wait_ms` must be'],
  [{ program: 'abc', wait_ms: '5' }, '`wait_ms` must be'],
  [{ program: 'abc', stop: 'yes' }, '`stop` must be true or false'],
  [{ program: 'abc', max_output_tokens: 0 }, '`max_output_tokens` must be'],
  [{ wait_ms: 5 }, 'need `program`'],
  [{ stop: true, code: 'print(1)' }, 'need `program`'],
  [{ program: 'x'.repeat(100_000) }, 'There is no program "xxx'],
  [{ program: '__proto__' }, 'There is no program "__proto__"'],
])('input %# is refused, and nothing runs', async (input, said) => {
  const { run, provider } = makeTool();
  for (const sent of [input, JSON.stringify(input)]) {
    const { text, isError } = await run(sent);
    expect(isError).toBe(true);
    expect(text).toContain(said);
    expect(text.length).toBeLessThan(600);
  }
  expect(provider.created.size).toBe(0);
});

it('the model is told of it only if the option is set', () => {
  const { tool, executor } = makeTool({ yieldAfterMs: 10_000 });
  expect(Object.keys(tool.inputSchema['properties'] ?? {})).toEqual([
    ...['code', 'max_output_tokens', 'program', 'wait_ms', 'stop'],
  ]);
  expect(tool.description).toContain('still runs after 10 s goes on running');
  const plain = codeTool({ executor });
  expect(JSON.stringify([plain.inputSchema, plain.description])).not.toMatch(/wait_ms|goes on/);
});

it('a program of another code tool cannot be named', async () => {
  const { run, called } = makeTool();
  const other = makeTool();
  const { program = '' } = await run({ code: TWO_GATES });
  await called('a');
  expect((await other.run({ program, stop: true })).text).toContain('There is no program');
  expect((await run({ program, wait_ms: 0 })).text).toContain('still runs');
});
