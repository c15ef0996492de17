import { describe, expect, it } from 'vitest';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

const toolList = [
  {
    name: 'find-orders',
    description: 'Finds the orders of a customer.',
    inputSchema: {
      type: 'object',
      properties: { customer: { type: 'string' } },
      required: ['customer'],
    } as const,
    run: () => [{ id: 1 }, { id: 2 }],
  },
];

function program(language: string, code: string): ReturnType<typeof runs> {
  return [uses('execute_code', { language, code }, `${language} program`)];
}

describe('a conversation in one language', () => {
  it.each(['python', 'typescript', 'javascript', 'bash'] as const)(
    'offers %s, and the model names no language',
    async (language) => {
      const { orchestrator, requests } = converse([says('Nothing to do.')], {
        languages: [language],
        toolList,
      });
      await orchestrator.run('Hello');
      const [request] = requests;
      const schema = request?.tools[0]?.inputSchema as { properties: object };
      expect(Object.keys(schema.properties)).toEqual(['code', 'max_output_tokens']);
      expect(request?.system).toMatch(/find[-_]orders/);
    },
  );

  it('describes tools in TypeScript to a model that writes TypeScript, and runs it', async () => {
    const code = "const orders = await find_orders({ customer: 'a' });\norders.length";
    const { orchestrator, requests, results } = converse([runs(code), says('Two.')], {
      languages: ['typescript'],
      toolList,
    });
    await orchestrator.run('How many?');
    expect(requests[0]?.system).toContain('You can run TypeScript with the tool');
    expect(requests[0]?.system).toContain('declare function find_orders(');
    expect(requests[0]?.system).not.toContain('async def');
    expect(results(1)).toEqual([{ text: '2', isError: false }]);
  });
});

describe('a conversation in several languages', () => {
  const languages = ['typescript', 'python', 'bash'] as const;

  it('lets the model name one, and uses the first by default', async () => {
    const { orchestrator, requests, results } = converse(
      [
        program('python', 'open("shared.txt", "w").write("by python")\nx = 5'),
        program('bash', 'cat shared.txt; x=7'),
        runs('const x: number = 9;\nx'),
        program('python', 'print(x)'),
        says('Done.'),
      ],
      { languages, toolList },
    );
    await orchestrator.run('Hello');
    const schema = requests[0]?.tools[0]?.inputSchema;
    expect(schema).toMatchObject({
      properties: { language: { enum: languages } },
      required: ['code'],
    });
    expect(results(2)).toEqual([{ text: 'by python', isError: false }]);
    expect(results(3)).toEqual([{ text: '9', isError: false }]);
    expect(results(4)).toEqual([{ text: '5', isError: false }]);
  });

  it('describes the tools in each of them and in no other', async () => {
    const { orchestrator, requests } = converse([says('Hi.')], { languages, toolList });
    await orchestrator.run('Hello');
    const system = requests[0]?.system;
    expect(system).toContain('You can run TypeScript, Python or Bash with the tool');
    expect(system).toContain('declare function find_orders(');
    expect(system).toContain('async def find_orders(');
    expect(requests[0]?.tools[0]?.description).not.toContain('## JavaScript');
  });

  it('names two of them with "or" and without a comma', async () => {
    const { orchestrator, requests } = converse([says('Hi.')], {
      languages: ['python', 'typescript'],
    });
    await orchestrator.run('Hello');
    expect(requests[0]?.system).toContain('You can run Python or TypeScript with the tool');
  });

  it('tells the model of a language that is not offered, and runs nothing', async () => {
    const { orchestrator, results, provider } = converse(
      [program('javascript', '1'), says('Sorry.')],
      { languages, toolList },
    );
    await orchestrator.run('Hello');
    expect(results(1)).toEqual([
      {
        text: '`language` must be one of typescript, python, bash. Nothing was run.',
        isError: true,
      },
    ]);
    expect(provider.created.size).toBe(0);
  });
});

describe('an option for languages', () => {
  it.each([[[]], [['cobol']]])('%j is refused when the conversation is made', async (languages) => {
    const made = Promise.resolve().then(() =>
      converse([], { languages: languages as unknown as readonly ['python'] }),
    );
    expect(await refusalOf(made)).toMatchObject({ code: 'OPTION_INVALID' });
  });
});
