import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { useExecutors } from '../sessions/support.ts';

const makeExecutor = useExecutors();

/** What an executor keeps of a tool that returns these values, one for each call. */
async function observed(
  values: readonly unknown[],
  { resultShapes, ...definition }: { resultShapes?: boolean; outputSchema?: object } = {},
): Promise<{ stdout: string; shape: object | undefined }> {
  let call = 0;
  const get = { name: 'get', description: 'Gets.', run: () => values[call++], ...definition };
  const tools = new ToolRegistry([get]);
  const { executor } = makeExecutor({ tools, ...(resultShapes !== undefined && { resultShapes }) });
  const code = `for n in range(${values.length}):\n  try:\n    print(type(await get()).__name__)\n  except ToolError as e:\n    print(e.type)`;
  const { stdout } = await executor.execute(code);
  return { stdout, shape: tools.observedShapes()['get'] };
}

describe('the shapes of the results that programs got', () => {
  it('are kept of tools without an output schema', async () => {
    expect(await observed([{ id: 1 }, { id: 'x', note: null }])).toEqual({
      stdout: 'dict\ndict\n',
      shape: {
        type: 'object',
        properties: { id: { type: ['integer', 'string'] }, note: { type: 'null' } },
        required: ['id'],
      },
    });
  });

  it('are not kept with an output schema, or with resultShapes: false', async () => {
    expect((await observed([{ id: 1 }], { outputSchema: {} })).shape).toBeUndefined();
    expect((await observed([{ id: 1 }], { resultShapes: false })).shape).toBeUndefined();
  });

  it('have nothing of calls that failed', async () => {
    const values = [new Error('no'), { value: 1n }, { isError: true, content: [] }];
    expect(await observed(values)).toEqual({
      stdout: 'Failed\nInvalidResult\nFailed\n',
      shape: undefined,
    });
  });
});

describe('hostile results', () => {
  it('with the names of what objects inherit add nothing to objects of the host', async () => {
    const text =
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "hasOwnProperty": 1, "toString": 2}';
    const { stdout, shape } = await observed([JSON.parse(text)]);
    expect(stdout).toBe('dict\n');
    expect(shape).toEqual({
      type: 'object',
      properties: expect.objectContaining({ hasOwnProperty: { type: 'integer' } }),
      required: ['constructor', 'hasOwnProperty', 'toString'],
      additionalProperties: expect.objectContaining({ type: 'object' }),
    });
    expect(Object.hasOwn(shape ?? {}, '__proto__')).toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('that are too deep are refused, and deep ones have a bounded shape', async () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1)
        value = level % 2 === 0 ? [value] : { a: value };
      return value;
    };
    const { stdout, shape } = await observed([nested(10_000), nested(60)]);
    expect(stdout).toBe('InvalidResult\ndict\n');
    expect(JSON.stringify(shape).length).toBeLessThan(500);
  });

  it('of 50 MB have a bounded shape', async () => {
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(100_000) }));
    const { shape } = await observed([rows, { [`k${'x'.repeat(30)}`]: 'y'.repeat(1000) }]);
    expect(JSON.stringify(shape).length).toBeLessThan(500);
  });

  it('with getters and toJSON are looked at as the program gets them, and never again', async () => {
    let reads = 0;
    const value = {
      get secret() {
        reads += 1;
        return 1;
      },
      at: new Date(0),
      hidden: { toJSON: () => 'text', S3CRET: 1 },
    };
    const { shape } = await observed([value]);
    expect(shape).toMatchObject({
      properties: {
        secret: { type: 'integer' },
        at: { type: 'string' },
        hidden: { type: 'string' },
      },
    });
    // Once to check the value, and once to write it.
    expect(reads).toBe(2);
  });
});
