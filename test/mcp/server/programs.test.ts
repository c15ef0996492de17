import { describe, expect, it } from 'vitest';
import { PIXEL } from '../../support/images.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES, textOf } from './support.ts';

const double = {
  name: 'double',
  description: 'Doubles a number.',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  run: ({ n }: { n: number }) => 2 * n,
};
const bench = useBench({
  toolList: [double],
  languages: ['python', 'typescript'],
  programTimeoutMs: 90_000,
});

describe.each(ERA_NAMES)('execute_code for a client of the revision %s', (era) => {
  it('is described with the tools that programs can call', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execute_code']);
    const [{ description, inputSchema, outputSchema }] = tools as [(typeof tools)[0]];
    expect(description).toContain('double');
    expect(description).toContain('Limits: 90 s');
    expect(Object.keys(inputSchema.properties ?? {})).toEqual([
      'language',
      'code',
      'max_output_tokens',
    ]);
    expect(Object.keys(outputSchema?.['properties'] ?? {})).toEqual([
      'status',
      'output',
      'error',
      'session',
      'toolCalls',
    ]);
  });

  it('runs programs, which call tools and share variables', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const code = 'x = await double(n=21)\nprint(x)';
    const first = await client.callTool({ name: 'execute_code', arguments: { code } });
    expect(first).toMatchObject({
      content: [{ type: 'text', text: '42' }],
      structuredContent: { status: 'ok', output: '42', toolCalls: 1 },
      isError: false,
    });
    const again = { name: 'execute_code', arguments: { code: 'print(x + 1)' } };
    expect(textOf(await client.callTool(again))).toBe('43');
  });

  it('passes on the images that a program shows', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const code = `import base64\nshow(base64.b64decode("${PIXEL}"))`;
    const result = await client.callTool({ name: 'execute_code', arguments: { code } });
    expect(result).toMatchObject({
      content: [
        { type: 'text', text: '[The program showed 1 image.]' },
        { type: 'image', mimeType: 'image/png', data: PIXEL },
      ],
      structuredContent: { status: 'ok' },
    });
  });

  it('passes on small files that a program leaves, for the user, and names larger ones', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const code = `import os
os.mkdir(os.environ["OUTPUT_DIR"] + "/ä ?")
for name, text in (("a.csv", "x"), ("b.txt", "x" * (1 << 20)), ("ä ?/c", "y")):
    with open(os.environ["OUTPUT_DIR"] + "/" + name, "w") as file:
        _ = file.write(text)`;
    const result = await client.callTool({ name: 'execute_code', arguments: { code } });
    const annotations = { audience: ['user'] };
    const csv = { uri: 'output:///a.csv', mimeType: 'text/csv', blob: btoa('x') };
    const other = { uri: 'output:///%C3%A4%20%3F/c', mimeType: 'application/octet-stream' };
    expect(result.content).toEqual([
      {
        type: 'text',
        text: expect.stringContaining('a.csv (1 B), b.txt (1048576 B), ä ?/c (1 B)'),
      },
      { type: 'resource', resource: csv, annotations },
      { type: 'resource', resource: { ...other, blob: btoa('y') }, annotations },
      {
        type: 'text',
        text: '[The user does not get these files, because a result can have 1 MiB of files: b.txt.]',
      },
    ]);
  });

  it('runs a program in the language that the call names', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const code = 'const n: number = await double({ n: 4 }); console.log(n)';
    const call = { name: 'execute_code', arguments: { code, language: 'typescript' } };
    expect(textOf(await client.callTool(call))).toBe('8');
  });

  it('says how a program failed', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const code = 'print("before")\nraise KeyError("k" * 9000)';
    const result = await client.callTool({ name: 'execute_code', arguments: { code } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { status: 'error', toolCalls: 0, error: { type: 'KeyError', line: 2 } },
    });
    const { output, error } = result.structuredContent as { output: string; error: Error };
    expect(output).toBe(textOf(result));
    expect(output).toMatch(/^before\n.*KeyError/s);
    expect(error.message.length).toBeLessThan(2100);
  });

  it.each([[{}], [{ code: 7 }], [{ code: '1', language: 'perl' }]])(
    'tells the model what is wrong with the input %j, and runs nothing',
    async (input) => {
      const { client } = await connect(era, { executor: bench.executor });
      const result = await client.callTool({ name: 'execute_code', arguments: input });
      expect(result).toMatchObject({ isError: true });
      expect(result.structuredContent).toBeUndefined();
      expect(textOf(result)).toMatch(/`code` must be|`language` must be/);
    },
  );

  it('refuses a tool that does not exist, as an error of the protocol', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const unknown = client.callTool({ name: 'double', arguments: { n: 1 } });
    await expect(unknown).rejects.toMatchObject({ code: -32_602 });
  });
});
