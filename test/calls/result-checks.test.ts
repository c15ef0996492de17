import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { afterEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { SchemaSource } from '../../src/tools/schema/schema.ts';
import type { CheckLevel, Tool } from '../../src/tools/tool.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from '../execution/fake-connection.ts';
import { invoke } from './invoke.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function watchWarnings(): MockInstance<typeof process.emitWarning> {
  return vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
}

const orders = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: { type: 'string' }, state: { enum: ['open', 'closed'] } },
    required: ['id'],
  },
};

/** The outcome of a call whose tool returns this. */
async function returning(
  result: unknown,
  outputSchema: SchemaSource,
  checkResults: CheckLevel = 'error',
): ReturnType<typeof invoke> {
  return invoke({ outputSchema, run: () => result }, { checkResults });
}

describe("a result with checkResults: 'error'", () => {
  it('fails the call if it is wrong, says where and what was expected, and blames the tool', async () => {
    expect(await returning([{ id: 'a' }, { id: 7 }], orders)).toEqual({
      ok: false,
      failure: {
        type: 'InvalidResult',
        message:
          "the result failed the check against the tool's output schema, which is a fault of the tool and not of this call: result[1].id: expected string, received number",
      },
    });
    expect(await returning('x', orders)).toMatchObject({
      failure: { message: expect.stringMatching(/: result: expected array, received string$/) },
    });
    expect(await returning([{}], orders)).toMatchObject({
      failure: { message: expect.stringMatching(/: result\[0\]\.id: missing, expected string$/) },
    });
  });

  it('is not quoted, because it may be private', async () => {
    const secret = [{ id: 'a', state: 'S3CRET' }];
    const schema = { type: 'string', pattern: '^a+$' };
    for (const checked of [await returning(secret, orders), await returning('S3CRET', schema)]) {
      expect(checked.ok).toBe(false);
      expect(JSON.stringify(checked)).not.toContain('S3CRET');
    }
  });

  it('says nothing of the problem to the program if the tool hides its errors', async () => {
    const outputSchema = orders;
    const run = (): unknown => 'x';
    const hidden = { outputSchema, run, errorDetails: 'none' as const };
    expect(await invoke(hidden, { checkResults: 'error' })).toMatchObject({
      failure: { type: 'InvalidResult', message: 'the tool failed' },
      hostMessage: expect.stringContaining('result: expected array'),
    });
  });

  it.each<[string, SchemaSource, unknown]>([
    ['a property that the schema does not name', orders, [{ id: 'a', more: 1 }]],
    ['a Date for a date of zod', z.object({ at: z.date() }), { at: new Date(0) }],
    ['a time without a time zone', z.object({ at: z.iso.time() }), { at: '10:00:00' }],
    ['what a transform would change', z.string().transform(Number), '7'],
    ['what zod would strip', z.object({ a: z.string() }), { a: 'x', b: 1 }],
    ['what zod 3 would strip', z3.object({ a: z3.string() }), { a: 'x', b: 1 }],
    ['an object with toJSON', { type: 'string' }, { toJSON: () => 'x' }],
    ['nothing', z.void(), undefined],
    ['what Valibot accepts', toStandardJsonSchema(v.object({ a: v.number() })), { a: 1 }],
    ['a large list', orders, Array.from({ length: 100_000 }, (_, id) => ({ id: String(id) }))],
  ])('is returned if it is %s', async (_what, schema, result) => {
    expect(await returning(result, schema)).toMatchObject({ ok: true });
  });

  it.each<[string, SchemaSource, unknown]>([
    ['zod 4', z.object({ at: z.date() }), { at: 5 }],
    ['zod 3', z3.object({ a: z3.string() }), { a: 1 }],
    ['Valibot', toStandardJsonSchema(v.object({ a: v.number() })), { a: 'x' }],
    ['JSON Schema, with its formats', { type: 'string', format: 'date' }, '24.12.2026'],
  ])('is checked with a schema of %s', async (_library, schema, result) => {
    expect(await returning(result, schema)).toMatchObject({ failure: { type: 'InvalidResult' } });
  });

  it('cannot block the host, whatever a program made a tool return', async () => {
    const slow = { type: 'string', pattern: '^(?=.)(a+)+$' };
    expect(await returning(`${'a'.repeat(50)}!`, slow)).toMatchObject({
      failure: { message: expect.stringContaining('checking it took longer than the limit') },
    });
    const list = { type: 'array', items: { $ref: '#/$defs/tree' } };
    const recursive = { $defs: { tree: { anyOf: [list, list] } }, $ref: '#/$defs/tree' };
    let deep: unknown = 5;
    for (let depth = 0; depth < 60; depth += 1) deep = [deep];
    expect(await returning(deep, recursive)).toMatchObject({
      failure: { message: expect.stringContaining('checking it took longer than the limit') },
    });
  });
});

describe("a result with checkResults: 'warn'", () => {
  it('is returned, and the first wrong one of each tool causes a warning that says what to do', async () => {
    const warned = watchWarnings();
    const make = (name: string): ToolRegistry =>
      new ToolRegistry([
        { name, description: 'Lists.', outputSchema: orders, run: () => [{ id: 7 }] },
      ]);
    for (const tools of [make('list_orders'), make('list_bills')]) {
      const [tool] = tools.list();
      const copy = { ...tool } as Tool;
      for (const one of [tool, tool, copy]) {
        const called = await invoke(one as never, { toolName: copy.name, checkResults: 'warn' });
        expect(called).toMatchObject({ ok: true, result: { text: '[{"id":7}]' } });
      }
    }
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining('"list_orders"'), { code: 'PTC_RESULT_MISMATCH' }],
      [expect.stringContaining('"list_bills"'), { code: 'PTC_RESULT_MISMATCH' }],
    ]);
    expect(warned.mock.calls[0]?.[0]).toMatch(
      /Correct its run or its outputSchema, or set checkResults to 'off'.*: result\[0\]\.id: expected string, received number$/,
    );
  });

  it('causes no warning if it is right', async () => {
    const warned = watchWarnings();
    expect(await returning([{ id: 'a' }], orders, 'warn')).toMatchObject({ ok: true });
    expect(warned).not.toHaveBeenCalled();
  });
});

it("is not looked at with checkResults: 'off', nor without a word about it", async () => {
  const warned = watchWarnings();
  const tool = defineTool({
    name: 'tool',
    description: 'A tool.',
    outputSchema: orders,
    run: () => 'x',
  });
  const validateResult = vi.fn<NonNullable<Tool['validateResult']>>();
  const watched = { ...tool, validateResult } as never;
  expect(await invoke(watched, { checkResults: 'off' })).toMatchObject({ ok: true });
  expect(await invoke(watched)).toMatchObject({ ok: true });
  expect(validateResult).not.toHaveBeenCalled();
  expect(warned).not.toHaveBeenCalled();
});

describe('the time of checking the results of a program', () => {
  /** What a program gets that makes five calls, each of whose results takes at least 40 ms to check. */
  async function fiveSlowChecks(
    checkResults: CheckLevel,
  ): Promise<{ status: string; errors: number; checks: number }> {
    const { runner, connection } = connect({ budgets: { validationMs: 100 } });
    let checks = 0;
    const tool: Tool = {
      ...defineTool({ name: 'slow', description: 'A tool.', outputSchema: {}, run: () => 'x' }),
      validateResult(value) {
        const before = process.cpuUsage();
        const began = performance.now();
        let used = 0;
        while (used < 40_000 || performance.now() - began < 40) {
          const { user, system } = process.cpuUsage(before);
          used = user + system;
        }
        checks += 1;
        return { valid: true, value };
      },
    };
    const tools = new ToolRegistry([tool]).snapshot();
    const running = connection.execute(request({ tools, checkResults }));
    const answered = createDeferred<void>();
    let errors = 0;
    let answers = 0;
    runner.onMessage = (message) => {
      if (message.kind !== 'tool-result') return;
      if (message.error !== null) errors += 1;
      if ((answers += 1) === 5) answered.resolve();
    };
    runner.say(...['1', '2', '3', '4', '5'].map((id) => toolCall(id, 'slow')));
    await answered.promise;
    runner.say(outcome());
    const { status } = await running;
    return { status, errors, checks };
  }

  it('counts towards its budget if wrong results fail', async () => {
    const { status, checks } = await fiveSlowChecks('error');
    expect(status).toBe('budget-exceeded');
    expect(checks).toBeLessThanOrEqual(5);
  });

  it('ends the checks, and not the program, if they only warn', async () => {
    const { status, errors, checks } = await fiveSlowChecks('warn');
    expect({ status, errors }).toEqual({ status: 'ok', errors: 0 });
    expect(checks).toBeLessThanOrEqual(3);
  });
});
