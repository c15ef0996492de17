import { expect, it } from 'vitest';
import type { CallLog } from '../../../src/calls/call-log.ts';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { CodeToolOptions } from '../../../src/orchestrator/code/code-tool-options.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { defineRemoteTool } from '../../../src/tools/remote-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { refusalOf } from '../support.ts';

const makeExecutor = useExecutors();

/** `gate` returns when the test opens it. */
function makeTool(
  options: Partial<CodeToolOptions> = {},
  languages: readonly LanguageName[] = ['python'],
) {
  const opened = createDeferred<string>();
  const called = createDeferred<void>();
  const gate = defineTool({
    name: 'gate',
    description: 'Waits.',
    run: () => {
      called.resolve();
      return opened.promise;
    },
  });
  const { executor } = makeExecutor({ tools: [gate], languages });
  return { tool: codeTool({ executor, yieldAfterMs: 1, ...options }), executor, opened, called };
}

it.each<[LanguageName, string]>([
  ['python', 'print("begun")\nprint(await gate())'],
  ['typescript', 'console.log("begun");\nconsole.log(await gate());'],
  ['bash', 'echo begun\ngate'],
])('a program in %s goes on', async (language, code) => {
  const { tool, opened, called } = makeTool({}, [language]);
  const first = await tool.execute({ code });
  const { program } = first;
  await called.promise;
  const running = await tool.execute({ program, wait_ms: 0 });
  expect(running.text).toContain('gate({}): not ended yet');
  opened.resolve('open');
  const { text, result } = await tool.execute({ program, wait_ms: 300_000 });
  expect(result).toMatchObject({ status: 'ok', toolCalls: 1 });
  expect(result?.stdout.startsWith('begun\n')).toBe(true);
  expect(text).toContain('open');
  expect([first, running, { text }].filter((one) => /^begun$/m.test(one.text))).toHaveLength(1);
});

it('output that is too long is cut and kept while the program runs', async () => {
  const { tool, executor, opened, called } = makeTool({ maxResultBytes: 1000 });
  const printed = createDeferred<void>();
  const code = `
await gate()
for number in range(1000): print(number)
print("all", flush=True)
import time
time.sleep(600)`;
  let stdout = '';
  const onEvent = (event: CodeEvent): void => {
    if (event.type !== 'output-delta') return;
    stdout += event.text;
    if (stdout.endsWith('all\n')) printed.resolve();
  };
  const { program } = await tool.execute({ code }, { onEvent });
  await called.promise;
  opened.resolve('open');
  await printed.promise;
  const { text } = await tool.execute({ program, wait_ms: 0 });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000);
  expect(text).toMatch(/\[Program \w{8} still runs/);
  const [, path = ''] = /All of it is in \/tmp\/(\S+\.txt)/.exec(text) ?? [];
  await using session = await executor.acquire({ sessionKey: tool.sessionKey });
  expect(await session.files.readText(path)).toBe(stdout);
  await tool.stopProgram();
});

it('a tool call is logged with the last call of the model about its program', async () => {
  const { tool, opened, called } = makeTool();
  const logged: string[] = [];
  const logOf = (name: string): CallLog => ({
    started: async () => void logged.push(`${name} started`),
    ended: async () => void logged.push(`${name} ended`),
  });
  const code = 'await gate()\nawait gate()';
  const { program } = await tool.execute({ code }, { callLog: logOf('first') });
  await called.promise;
  const next = tool.execute({ program, wait_ms: 300_000 }, { callLog: logOf('second') });
  opened.resolve('open');
  expect((await next).result?.status).toBe('ok');
  expect(logged.toSorted()).toEqual([
    ...['first started', 'second ended', 'second ended', 'second started'],
  ]);
});

it('remote tools are refused, since nobody would answer them', async () => {
  const { tool } = makeTool({ onHostError: () => {} });
  const remote = defineRemoteTool({ name: 'ask', description: 'Asks.' });
  const error = await refusalOf(tool.execute({ code: 'await ask()' }, { tools: [remote] }));
  expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { remote: ['ask'] } });
});

it.each([0, -1, 1.5e12, Number.NaN])('yieldAfterMs cannot be %d', (yieldAfterMs) => {
  expect(() => makeTool({ yieldAfterMs })).toThrow(/yieldAfterMs must be/);
});

it('a reset while a program is being started stops it', async () => {
  const { tool } = makeTool({ sessionKey: 'reset-while-it-starts' });
  const started = tool.execute({ code: 'await gate()' });
  await tool.reset();
  const { program = 'none' } = await started;
  expect((await tool.execute({ program })).text).toContain('There is no program');
  expect(await tool.sessionInfo()).toBeUndefined();
});
