import { expect, it } from 'vitest';
import { codeTool, type CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { CodeEvent } from '../../../src/orchestrator/code/code-event.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { useExecutors } from '../../sessions/support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const KEY = uniqueKey('long-output');

const makeExecutor = useExecutors();

async function readFile(executor: SandboxExecutor, key: string, path: string): Promise<string> {
  await using session = await executor.acquire({ sessionKey: key });
  return session.files.readText(path.replace('/tmp/', ''));
}

it('of output that is too long the model gets the start and the end, and the path of a file with all of it', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor, maxResultBytes: 1000 });
  const events: CodeEvent[] = [];
  const { text, result } = await tool.execute(
    { code: 'for n in range(1000): print(n)' },
    { onEvent: (event) => events.push(event) },
  );
  const path = '/tmp/full-output/1.txt';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000);
  const [above, ...lines] = text.split('\n');
  expect(above).toMatch(/^\[This output is too long: of 3,889 bytes \(1,000 lines\), 3,[^]*\.\]$/);
  expect(above).toContain(` left out. All of it is in ${path}.]`);
  expect(lines.slice(0, 3)).toEqual(['0', '1', '2']);
  expect(lines.find((line) => line.startsWith('[…'))).toMatch(
    /^\[… 3,\d{3} bytes \(\d+ lines\) left out here …\]$/,
  );
  expect(lines.at(-2)).toBe('999');
  expect(lines.at(-1)).toMatch(
    /^\[Above, 3,\d{3} bytes \(\d+ lines\) of the output are left out\./,
  );
  expect(lines.at(-1)).toContain(`All of it is in ${path}: read the parts`);
  expect(result?.fullOutput).toEqual({ path, sizeBytes: 3890 });
  expect(await readFile(executor, tool.sessionKey, path)).toBe(result?.stdout);
  expect(events.at(-1)).toMatchObject({ type: 'program-ended', result: { fullOutput: { path } } });
});

it('output that is not too long is as it was, and nothing is written', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor, maxResultBytes: 1000 });
  const { text, result } = await tool.execute({ code: 'print("x" * 1000)' });
  expect(text).toBe('x'.repeat(1000));
  expect(result).not.toHaveProperty('fullOutput');
  await expect(readFile(executor, tool.sessionKey, 'full-output/1.txt')).rejects.toMatchObject({
    details: { errno: 'ENOENT' },
  });
});

it('the file has both streams, and the error comes below the note', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor, maxResultBytes: 2000 });
  const code = 'import sys\nprint("o" * 3000)\nprint("e" * 3000, file=sys.stderr)\n1 / 0';
  const { text, result } = await tool.execute({ code });
  expect(text).toMatch(/\nZeroDivisionError: division by zero$/);
  expect(text).toMatch(/\no+\n\[… .*\]\ne+\n\[Above, /);
  const kept = await readFile(executor, tool.sessionKey, result?.fullOutput?.path ?? '');
  expect(kept).toBe(`${'o'.repeat(3000)}\n[stderr]\n${'e'.repeat(3000)}\n`);
});

it('a session that has ended keeps nothing, and the model is told so', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor, maxResultBytes: 1000 });
  const code = 'import os, sys\nprint("x" * 3000)\nsys.stdout.flush()\nos._exit(3)';
  const { text, result } = await tool.execute({ code });
  expect(result).toMatchObject({ sessionOpen: false });
  expect(result).not.toHaveProperty('fullOutput');
  expect(text).toContain(
    'They are lost, because the session has ended: print less, or look at parts in a further run.]',
  );
});

it('what the sandbox left out is not in the file, and the model is told so', async () => {
  const { executor } = makeExecutor({ maxOutputBytes: 2000 });
  const tool = codeTool({ executor, maxResultBytes: 1000 });
  const { text, result } = await tool.execute({ code: 'print("x" * 3000)' });
  const path = result?.fullOutput?.path ?? '';
  expect(text).toContain(`Most of it is in ${path}, where a line says how much is missing.]`);
  expect(await readFile(executor, tool.sessionKey, path)).toMatch(
    /^x{1000}\n\[… 1,001 bytes of output left out here …\]\nx{999}\n$/,
  );
});

it('the outcomes of the calls of a program that was stopped are never cut', async () => {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } } as const;
  const { executor } = makeExecutor({
    tools: [{ name: 'order', description: 'Orders.', inputSchema, run: () => 'done' }],
    budgets: { toolCalls: 30 },
  });
  const tool = codeTool({ executor, maxResultBytes: 1000 });
  const code = 'print("x" * 3000)\nfor n in range(40): await order(text="y" * 100)';
  const { text, result } = await tool.execute({ code });
  expect(result?.status).toBe('budget-exceeded');
  expect(text.match(/^order\(.*: done, "done"$/gm)).toHaveLength(30);
  expect(text).toMatch(/\nx{50}/);
});

it('a result of another tool is kept in the session if that is open', async () => {
  const { executor, provider } = makeExecutor();
  const tool = codeTool({ executor, sessionKey: KEY, maxResultBytes: 1000 });
  const long = 'r'.repeat(5000);
  const cut = await tool.shorten(long);
  expect(cut).toMatch(/^\[This result is too long: of 5,000 bytes, 4,\d{3} bytes are left out\. /);
  expect(cut).toContain('They are lost, because no session was open in which to keep them.]');
  expect(cut).toMatch(/: ask for less at once\.\]$/);
  expect(provider.created.size).toBe(0);
  await tool.execute({ code: '1' });
  const kept = await tool.shorten(long);
  expect(kept).toContain('All of it is in /tmp/full-output/1.txt: read the parts');
  expect(await readFile(executor, KEY, 'full-output/1.txt')).toBe(long);
  expect(await tool.shorten('short')).toBe('short');
});

it('what two users of a session keep at the same moment is in two files', async () => {
  const { executor } = makeExecutor();
  const [one, other] = [0, 1].map(() =>
    codeTool({ executor, sessionKey: KEY, maxResultBytes: 1000 }),
  ) as [CodeTool, CodeTool];
  await one.execute({ code: '1' });
  const long = ['a'.repeat(5000), 'b'.repeat(5000)] as const;
  const texts = await Promise.all([one.shorten(long[0]), other.shorten(long[1])]);
  const paths = texts.map((text) => /All of it is in (\S+): read/.exec(text)?.[1] ?? '');
  expect(paths).toEqual(['/tmp/full-output/1.txt', '/tmp/full-output/2.txt']);
  expect(await Promise.all(paths.map((path) => readFile(executor, KEY, path)))).toEqual(long);
});

it('output is lost, and replaces no other, if a program has filled the directory', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor, sessionKey: KEY, maxResultBytes: 1000 });
  await tool.execute({ code: 'print("a" * 3000)' });
  // These names come before that of the file. The sandbox of this test has the directory in one of its own.
  const fill = `import os
own = os.path.basename(os.environ["HOME"])
for n in range(1000): open(f"/tmp/{own}/full-output/-{n}", "w").close()`;
  const { text, result } = await tool.execute({ code: `${fill}\nprint("b" * 3000)` });
  expect(text).toContain('They are lost, because /tmp/full-output has too many files: print less');
  expect(result).not.toHaveProperty('fullOutput');
  expect(await readFile(executor, KEY, 'full-output/1.txt')).toBe(`${'a'.repeat(3000)}\n`);
});

it.each([0, 999, 1000.5, Number.NaN, '1000'])('refuses the limit %j', (maxResultBytes) => {
  const { executor } = makeExecutor();
  expect(() => codeTool({ executor, maxResultBytes: maxResultBytes as number })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  );
});

it('a model that asks for less gets less, with notes above and below, and never more than the limit', async () => {
  const { executor } = makeExecutor();
  const tool = codeTool({ executor, maxResultBytes: 2000 });
  const code = 'print("x" * 3000)';
  const lengthOf = async (input: object): Promise<number> => {
    const { text, isError } = await tool.execute({ code, ...input });
    expect(isError).toBe(false);
    expect(text).toMatch(/^\[This output is too long: of 3,000 bytes, .* All of it is in \/tmp\//);
    expect(text).toMatch(/\n\[Above, .* All of it is in \/tmp\/full-output\/\d\.txt: .*\]$/);
    return Buffer.byteLength(text);
  };
  const most = await lengthOf({});
  expect(most).toBeGreaterThan(1500);
  expect(await lengthOf({ max_output_tokens: 300 })).toBeLessThanOrEqual(1200);
  // Below this, there would be no room for anything but the notes.
  expect(await lengthOf({ max_output_tokens: 1 })).toBeLessThanOrEqual(1000);
  expect(await lengthOf({ max_output_tokens: 1_000_000 })).toBe(most);
  expect(tool.inputSchema).toMatchObject({
    properties: { max_output_tokens: { type: 'integer', minimum: 250 } },
    required: ['code'],
  });
});

it('a wrong number of tokens is refused before the program runs', async () => {
  const { executor, provider } = makeExecutor();
  const tool = codeTool({ executor });
  for (const wrong of [0, -1, 1.5, '300', null, Infinity]) {
    expect(await tool.execute({ code: 'print(1)', max_output_tokens: wrong })).toMatchObject({
      isError: true,
      text: '`max_output_tokens` must be a whole number above 0. Nothing was run.',
    });
  }
  expect(provider.created.size).toBe(0);
});
