import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { defineTool, toTool } from '../../src/tools/define-tool.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { callOrigin } from '../support/call-origin.ts';

const common = { name: 'get_expenses', description: 'Lists expenses.', run: () => [] };

function context(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { ...callOrigin(), signal, caller: 'code', callId: '1', progress: () => {} };
}

test('a tool is for code, takes no arguments and has 30 seconds unless its definition says otherwise', () => {
  const tool = defineTool(common);
  expect(tool).toMatchObject({
    name: 'get_expenses',
    identifier: 'get_expenses',
    allowedCallers: ['code'],
    timeoutMs: 30_000,
    inputExamples: [],
    strict: undefined,
  });
  expect(tool.validateInput({}).valid).toBe(true);
  expect(tool.validateInput({ a: 1 }).valid).toBe(false);
});

test('schemas of zod 4, zod 3 and raw JSON Schema describe the same arguments', () => {
  const raw = {
    type: 'object',
    properties: { id: { type: 'string' }, quarter: { type: 'string', enum: ['Q1', 'Q2'] } },
    required: ['id'],
  };
  const zod4 = z.object({ id: z.string(), quarter: z.enum(['Q1', 'Q2']).optional() });
  const zod3 = z3.object({ id: z3.string(), quarter: z3.enum(['Q1', 'Q2']).optional() });
  for (const inputSchema of [raw, zod4, zod3]) {
    expect(toTool({ ...common, inputSchema }).inputSchema).toMatchObject(raw);
  }
});

test('a raw JSON Schema reaches the tool unchanged, and later changes to it do not', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      flag: { type: 'boolean', default: false },
      nothing: { type: 'null', const: null },
      level: { enum: [1, 'two', null, true] },
      nested: { type: 'object', properties: { 'odd key': { type: ['string', 'null'] } } },
    },
    additionalProperties: false,
  };
  const original = structuredClone(inputSchema);
  const tool = defineTool({ ...common, inputSchema });
  inputSchema.properties.flag.type = 'string';
  expect(tool.inputSchema).toEqual(original);
  expect(Object.isFrozen(tool.inputSchema['properties'])).toBe(true);
});

test('a zod schema gives the tool its defaults and transforms; a JSON Schema changes nothing [case 104]', () => {
  const zod = defineTool({
    ...common,
    inputSchema: z.object({ limit: z.number().default(10), at: z.coerce.date().optional() }),
  });
  expect(zod.validateInput({ at: '2026-01-02' })).toEqual({
    valid: true,
    value: { limit: 10, at: new Date('2026-01-02') },
  });
  const raw = defineTool({
    ...common,
    inputSchema: { type: 'object', properties: { limit: { type: 'integer', default: 10 } } },
  });
  const given = { other: '1' };
  expect(raw.validateInput(given)).toEqual({ valid: true, value: given });
  expect(given).toEqual({ other: '1' });
  expect(raw.validateInput({ limit: '10' }).valid).toBe(false);
});

test('an output schema is documentation: dates are the strings that they become', () => {
  const tool = defineTool({
    ...common,
    outputSchema: z.array(z.object({ at: z.date(), note: z.string().optional() })),
    outputDescription: 'Newest first.',
  });
  expect(tool.outputDescription).toBe('Newest first.');
  expect(tool.outputSchema).toMatchObject({
    items: { properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] },
  });
});

test.for<[string, object, RegExp]>([
  ['no description', { description: '' }, /description must be text/],
  ['a run that is not a function', { run: 'ls' }, /run must be a function.*not "ls"/],
  ['a timeout of 0', { timeoutMs: 0 }, /timeoutMs must be more than 0/],
  ['a timeout of NaN', { timeoutMs: Number.NaN }, /timeoutMs must be more than 0.*NaN/],
  ['a timeout that no timer can hold', { timeoutMs: Infinity }, /at most 2147483647 ms/],
  [
    'an unknown caller',
    { allowedCallers: ['codes'] },
    /allowedCallers\[0\] must be one of "code", "direct", not "codes"/,
  ],
  ['no callers', { allowedCallers: [] }, /allowedCallers must be/],
  ['a concurrency of 0', { concurrency: 0 }, /concurrency must be a whole number, at least 1/],
  ['a string as its input', { inputSchema: z.string() }, /not an object schema.*z\.object/],
  [
    'an array as its input',
    { inputSchema: { type: 'array' } },
    /not an object schema.*"type": "object"/,
  ],
  ['an empty schema', { inputSchema: {} }, /not an object schema/],
  ['no schema at all', { inputSchema: 'object' }, /neither a schema of zod, .* nor a JSON Schema/],
  [
    'an unknown type',
    { inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } },
    /properties\.a\.type/,
  ],
  [
    'a reference to nowhere',
    { inputSchema: { type: 'object', properties: { a: { $ref: '#/x' } } } },
    /can't resolve reference #\/x/,
  ],
  [
    'a date that JSON cannot represent',
    { inputSchema: z.object({ at: z.date() }) },
    /the date at properties\.at; use z\.iso/,
  ],
  [
    'a date of zod 3',
    { inputSchema: z3.object({ at: z3.date() }) },
    /the date at properties\.at; use/,
  ],
  [
    'an example that does not fit',
    { inputSchema: z.object({ id: z.string() }), inputExamples: [{ id: 'a' }, { id: 1 }] },
    /inputExamples\[1\] does not satisfy.*\nid: expected string, received number/,
  ],
  ['a bad output schema', { outputSchema: { type: 'nothing' } }, /JSON Schema cannot be used/],
])('a definition with %s is refused by name', ([, change, message]) => {
  const define = (): unknown => toTool({ ...common, ...change });
  expect(define).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }));
  expect(define).toThrow(message);
  expect(define).toThrow('Tool "get_expenses": ');
});

test('a plain object, as a JavaScript module exports it, is a definition; what is none is refused', () => {
  expect(toTool({ ...common, inputSchema: { type: 'object' } }).name).toBe('get_expenses');
  for (const nothing of [undefined, null, 'tool']) {
    expect(() => Reflect.apply(toTool, undefined, [nothing])).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID' }),
    );
  }
});

test('two tools may share the ids of their schemas, and each is checked by its own', () => {
  const [strings, numbers] = ['string', 'number'].map((type) =>
    toTool({
      ...common,
      inputSchema: {
        $id: 'https://example.com/input',
        type: 'object',
        $defs: { value: { $id: 'value', type } },
        properties: { a: { $ref: 'value' } },
      },
    }),
  );
  expect(strings?.validateInput({ a: 'x' }).valid).toBe(true);
  expect(strings?.validateInput({ a: 1 }).valid).toBe(false);
  expect(numbers?.validateInput({ a: 'x' }).valid).toBe(false);
  expect(numbers?.validateInput({ a: 1 }).valid).toBe(true);
});

test('a schema that takes the id of JSON Schema itself harms no other tool', () => {
  const $id = 'https://json-schema.org/draft/2020-12/schema';
  expect(() => toTool({ ...common, inputSchema: { $id, type: 'object' } })).toThrow($id);
  const broken = { type: 'object', properties: { a: { type: 'strin' } } };
  expect(() => toTool({ ...common, inputSchema: broken })).toThrow('properties.a.type');
  const other = toTool({ ...common, inputSchema: { $schema: $id, type: 'object' } });
  expect(other.validateInput({}).valid).toBe(true);
  expect(other.validateInput('x').valid).toBe(false);
});

test('a schema that refers to itself checks all levels', () => {
  for (const $schema of [
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft-07/schema#',
  ]) {
    const tool = toTool({
      ...common,
      inputSchema: {
        $schema,
        type: 'object',
        properties: { value: { type: 'integer' }, next: { $ref: '#' } },
      },
    });
    expect(tool.validateInput({ next: { next: { value: 1 } } }).valid).toBe(true);
    expect(tool.validateInput({ next: { next: { value: '1' } } })).toEqual({
      valid: false,
      message: 'next.next.value: expected integer, received string',
    });
  }
});

test('run keeps its this, gets the context, and a throw of a synchronous run is a rejection', async () => {
  class Prefixed {
    readonly name = 'get_expenses';
    readonly description = 'Returns expenses.';
    readonly inputSchema = z.object({ id: z.string() });
    readonly prefix = 'id-';

    run(input: { id: string }, { callId }: ToolContext): string {
      if (input.id === '') throw new Error('empty');
      return this.prefix + input.id + callId;
    }
  }
  const tool = defineTool(new Prefixed());
  await expect(tool.run({ id: 'a' }, context())).resolves.toBe('id-a1');
  await expect(tool.run({ id: '' }, context())).rejects.toThrow('empty');
});

test('no more calls run at once than concurrency allows, and an aborted one leaves the queue [waiting/tool-concurrency]', async () => {
  const started: Array<() => void> = [];
  const tool = defineTool({
    ...common,
    concurrency: 2,
    run: () => new Promise<void>((resolve) => void started.push(resolve)),
  });
  const controller = new AbortController();
  const calls = [1, 2].map(() => tool.run({}, context()));
  const aborted = tool.run({}, context(controller.signal));
  const last = tool.run({}, context());
  expect(started).toHaveLength(2);
  controller.abort(new Error('too late'));
  await expect(aborted).rejects.toThrow('too late');
  started[0]?.();
  await calls[0];
  await expect.poll(() => started.length).toBe(3);
  started[1]?.();
  started[2]?.();
  await Promise.all([calls[1], last]);
});

test('tenants whose calls wait have their turns one after another [host/turns]', async () => {
  const started: { readonly tenant: string | undefined; readonly end: () => void }[] = [];
  const tool = defineTool({
    ...common,
    concurrency: 1,
    run: (_input, { tenant }) =>
      new Promise<void>((resolve) => void started.push({ tenant, end: resolve })),
  });
  const tenants = ['a', 'a', 'a', 'b', undefined];
  const calls = tenants.map((tenant) => tool.run({}, { ...context(), tenant }));
  for (const index of tenants.keys()) {
    await expect.poll(() => started.length).toBe(index + 1);
    started[index]?.end();
  }
  await Promise.all(calls);
  expect(started.map(({ tenant }) => tenant)).toEqual(['a', 'a', 'b', undefined, 'a']);
});

describe('a running call whose signal has fired', () => {
  const ignoring = (timeoutMs: number): { tool: Tool<unknown>; started: Array<() => void> } => {
    const started: Array<() => void> = [];
    const run = () => new Promise<void>((resolve) => void started.push(resolve));
    return { tool: defineTool({ ...common, concurrency: 1, timeoutMs, run }), started };
  };

  test('counts for the concurrency until it has ended [waiting/tool-concurrency]', async () => {
    const { tool, started } = ignoring(30_000);
    const controller = new AbortController();
    const first = tool.run({} as never, context(controller.signal));
    const second = tool.run({} as never, context());
    controller.abort();
    await setImmediate();
    expect(started).toHaveLength(1);
    started[0]?.();
    await first;
    await expect.poll(() => started.length).toBe(2);
    started[1]?.();
    await second;
  });

  test('does not count for it after its time', async () => {
    const { tool, started } = ignoring(1);
    const first = tool.run({} as never, context());
    const second = tool.run({} as never, context());
    await expect(first).rejects.toThrow('no answer within 1 ms');
    await expect(second).rejects.toThrow('no answer within 1 ms');
    expect(started).toHaveLength(2);
  });
});
