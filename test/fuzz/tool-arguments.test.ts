import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { invokeTool } from '../../src/calls/invoke-tool.ts';
import type { ToolOutcome } from '../../src/calls/tool-outcome.ts';
import { decodeLine } from '../../src/protocol/frames.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';
import { hostileJson, toolCallLine } from './arbitraries.ts';
import { expectNoPollution, objectsIn } from './judgements.ts';

/** What tools were given, in the order of the calls. */
const given: { readonly tool: string; readonly input: unknown }[] = [];

/** Does with its input what careless code does. */
function careless(tool: string): (input: unknown) => unknown {
  return (input) => {
    given.push({ tool, input });
    const copy: unknown = Object.assign({}, input);
    expectNoPollution();
    return copy;
  };
}

const tools = new ToolRegistry([
  {
    name: 'anything',
    description: 'Takes any object.',
    inputSchema: { type: 'object' },
    run: careless('anything'),
  },
  {
    name: 'typed',
    description: 'Takes what a JSON Schema describes.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 10 },
        count: { type: 'integer', minimum: 0, maximum: 9 },
        extra: { type: 'object' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    run: careless('typed'),
  },
  {
    name: 'zod',
    description: 'Takes what zod describes.',
    inputSchema: z.strictObject({
      name: z.string().max(10),
      count: z.int().min(0).max(9).optional(),
      extra: z.record(z.string(), z.unknown()).optional(),
    }),
    run: careless('zod'),
  },
  {
    name: 'loose',
    description: 'Takes any object, by zod.',
    inputSchema: z.looseObject({}),
    run: careless('loose'),
  },
  {
    name: 'inherited',
    description: 'Requires what every plain object seems to have.',
    inputSchema: { type: 'object', required: ['constructor', 'toString'] },
    run: careless('inherited'),
  },
  {
    name: 'direct',
    description: 'Not for code.',
    allowedCallers: ['direct'],
    run: careless('direct'),
  },
]);

const lookup = tools.snapshot();

/** Sends a call the way a runner does, up to its outcome. */
async function call(tool: string, args: string): Promise<ToolOutcome | 'refused'> {
  const { bytes, stream } = toolCallLine('1', 'c', tool, args);
  const message = decodeLine(bytes, stream);
  if (message.kind !== 'tool-call') throw new Error(message.kind);
  if (message.refusal !== undefined) return 'refused';
  return invokeTool(lookup, {
    toolName: message.tool_name,
    arguments: message.arguments,
    caller: 'code',
    callId: message.call_id,
    counter: programCounter(),
    origin: callOrigin(),
    signal: new AbortController().signal,
  });
}

/** Arguments that fit now and then. */
const args = fc.oneof(
  hostileJson,
  fc
    .tuple(
      fc.string({ maxLength: 12 }),
      fc.option(fc.integer({ min: -2, max: 12 }), { nil: undefined }),
      fc.option(hostileJson, { nil: undefined }),
      fc.option(fc.constantFrom('__proto__', 'constructor', 'other'), { nil: undefined, freq: 3 }),
    )
    .map(([name, count, extra, key]) => {
      const fields = [`"name":${JSON.stringify(name)}`];
      if (count !== undefined) fields.push(`"count":${count}`);
      if (extra !== undefined) fields.push(`"extra":${extra}`);
      if (key !== undefined) fields.push(`${JSON.stringify(key)}:{"polluted":1}`);
      return `{${fields.join(',')}}`;
    }),
);

const toolName = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('anything', 'typed', 'zod', 'loose', 'inherited') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        'direct',
        'constructor',
        '__proto__',
        'toString',
        'hasOwnProperty',
        '',
        'Typed',
        'typed ',
      ],
    ),
  },
);

/** What the typed tools may be given, said a second time without a validator. */
function fits(input: unknown): boolean {
  const record = input as Record<string, unknown>;
  const { name, count, extra } = record;
  return (
    typeof name === 'string' &&
    Array.from(name).length <= 10 &&
    (count === undefined ||
      (Number.isInteger(count) && (count as number) >= 0 && (count as number) <= 9)) &&
    (extra === undefined ||
      (typeof extra === 'object' && extra !== null && !Array.isArray(extra))) &&
    Object.keys(record).every((key) => ['name', 'count', 'extra'].includes(key))
  );
}

describe('a call with any arguments', () => {
  it('runs a tool that code may call with arguments that fit it, or no tool at all [host/registered-tools]', async () => {
    const ran = new Map<string, number>();
    const ended = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(toolName, args, async (name, json) => {
        given.length = 0;
        const outcome = await call(name, json);
        const end = outcome === 'refused' ? outcome : outcome.ok ? 'ok' : outcome.failure.type;
        ended.set(end, (ended.get(end) ?? 0) + 1);
        expect(['refused', 'ok', 'UnknownTool', 'NotAllowed', 'InvalidArguments']).toContain(end);
        expect(given.map(({ tool }) => tool)).toEqual(end === 'ok' ? [name] : []);
        for (const { tool, input } of given) {
          ran.set(tool, (ran.get(tool) ?? 0) + 1);
          if (tool === 'typed' || tool === 'zod') expect(fits(input)).toBe(true);
          if (tool === 'inherited') expect(Object.keys(input as object)).toContain('toString');
        }
        expectNoPollution();
      }),
      { numRuns: 3000 },
    );
    // Else the property said nothing.
    for (const tool of ['anything', 'typed', 'zod', 'loose'])
      expect(ran.get(tool)).toBeGreaterThan(10);
    for (const end of ['refused', 'InvalidArguments', 'UnknownTool', 'NotAllowed']) {
      expect(ended.get(end)).toBeGreaterThan(5);
    }
  });

  it('gives no tool an object that has what was not sent, nor a key that names a prototype [case 68]', async () => {
    const objects = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('anything', 'typed', 'zod', 'loose'),
        args,
        async (name, json) => {
          given.length = 0;
          await call(name, json);
          for (const { tool, input } of given) {
            for (const object of objectsIn(input)) {
              objects.set(tool, (objects.get(tool) ?? 0) + 1);
              expect(Object.keys(object)).not.toContain('__proto__');
              // Zod makes objects of its own.
              const prototype: unknown = Object.getPrototypeOf(object);
              if (tool === 'anything' || tool === 'typed') expect(prototype).toBeNull();
              else expect([null, Object.prototype]).toContain(prototype);
            }
          }
        },
      ),
      { numRuns: 2000 },
    );
    // Else the property said nothing.
    for (const tool of ['anything', 'typed', 'zod', 'loose']) {
      expect(objects.get(tool)).toBeGreaterThan(10);
    }
  });
});
