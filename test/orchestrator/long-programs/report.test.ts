import { expect, it } from 'vitest';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import { codeTool, type CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { CodeToolOptions } from '../../../src/orchestrator/code/code-tool-options.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import { createDeferred, type Deferred } from '../../../src/shared/async/deferred.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { useExecutors } from '../../sessions/support.ts';

const makeExecutor = useExecutors();
/** Longer than any program here takes: a call is answered earlier only because of a report. */
const NEVER_MS = 300_000;

/** `gate` returns when the test opens it. */
function makeTool(
  languages: readonly LanguageName[] = ['python'],
  options: Partial<CodeToolOptions> = { yieldAfterMs: NEVER_MS },
): { readonly tool: CodeTool; readonly opened: Deferred<string> } {
  const opened = createDeferred<string>();
  const gate = defineTool({ name: 'gate', description: 'Waits.', run: () => opened.promise });
  const { executor } = makeExecutor({ tools: [gate], languages });
  return { tool: codeTool({ executor, ...options }), opened };
}

it.each<[LanguageName, string]>([
  ['python', 'print("begun")\nreport("half")\nprint(await gate())'],
  ['typescript', 'console.log("begun");\nawait report("half");\nconsole.log(await gate());'],
  ['bash', 'echo begun\nreport half\ngate'],
])('a program in %s that reports a text is answered at once, and goes on', async (name, code) => {
  const { tool, opened } = makeTool([name]);
  const { text, program, result } = await tool.execute({ code });
  expect(text).toMatch(/^begun\nhalf\n\[Program \w{8} still runs, after [\d.]+ s\./);
  expect(result).toBeUndefined();
  opened.resolve('open');
  const ended = await tool.execute({ program, wait_ms: NEVER_MS });
  expect(ended.text).toMatch(/^"?open"?$/);
  expect(ended.result?.stdout).toMatch(/^begun\nhalf\n"?open"?\n$/);
});

it('texts that a program reports while the model does not wait answer its next call, once', async () => {
  const { tool, opened } = makeTool();
  const reported = createDeferred<void>();
  let reports = 0;
  const onEvent = (event: CodeEvent): void => {
    reports += event.type === 'program-reported' ? 1 : 0;
    if (reports === 3) reported.resolve();
  };
  const code = `
import time
report("one")
await gate()
report("two")
report("three")
time.sleep(600)`;
  const { program } = await tool.execute({ code }, { onEvent });
  opened.resolve('open');
  await reported.promise;
  const { text } = await tool.execute({ program, wait_ms: NEVER_MS });
  expect(text).toMatch(/^two\nthree\n[^]*still runs/);
  expect((await tool.execute({ program, wait_ms: 0 })).text).not.toContain('three');
  await tool.stopProgram();
});

it('a text that is reported right before the end is in the last answer', async () => {
  const { tool } = makeTool();
  let answer = await tool.execute({ code: 'report("all")' });
  const texts = [answer.text];
  if (answer.program !== undefined) {
    answer = await tool.execute({ program: answer.program, wait_ms: NEVER_MS });
    texts.push(answer.text);
  }
  expect(answer.result).toMatchObject({ status: 'ok', stdout: 'all\n' });
  expect(texts.filter((text) => text.startsWith('all\n'))).toHaveLength(1);
});

it('texts are in the order in which the program printed and reported them', async () => {
  const { tool } = makeTool();
  const code = 'for number in range(200): (print, report)[number % 2](number)';
  let answer = await tool.execute({ code });
  while (answer.program !== undefined) {
    answer = await tool.execute({ program: answer.program, wait_ms: NEVER_MS });
  }
  const lines = Array.from({ length: 200 }, (_, number) => `${number}\n`);
  expect(answer.result?.stdout).toBe(lines.join(''));
});

it('without yieldAfterMs a text is printed, and the call waits for the end', async () => {
  const { tool } = makeTool(['python'], {});
  const { text, result } = await tool.execute({ code: 'report("half")\nprint("done")' });
  expect(text).toBe('half\ndone');
  expect(result).toMatchObject({ status: 'ok' });
});

it.each<[readonly LanguageName[], string]>([
  [['python'], 'If a program calls `report(text)`, you get'],
  [['bash'], 'If a program calls `report "text"`, you get'],
  [
    ['typescript', 'bash'],
    'If a program calls `report(text)`, or in Bash `report "text"`, you get',
  ],
])('the model is told of it with yieldAfterMs alone, in the words of %j', (languages, said) => {
  expect(makeTool(languages).tool.description).toContain(said);
  const plain = makeTool(languages, {}).tool;
  expect(plain.description + plain.systemPrompt).not.toContain('report');
});
