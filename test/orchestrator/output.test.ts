import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import type { JsonValue } from '../../src/shared/json/json.ts';
import type { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { RunEvent } from '../../src/orchestrator/events/run-events.ts';
import type { ScriptedTurn } from '../../src/models/scripted.ts';
import { converse, refusalOf, runs, says } from './support.ts';

const report = z.object({ team: z.string(), total: z.number(), day: z.string().optional() });
const jsonSchema = {
  type: 'object',
  properties: { team: { type: 'string' }, total: { type: 'number' } },
  required: ['team', 'total'],
  additionalProperties: false,
} as const;

const RIGHT = '{"team":"sales","total":12.5}';

describe('an answer with a schema', () => {
  it.each([
    ['as JSON', RIGHT],
    ['with space around it', `\n  ${RIGHT}\n`],
    ['in a code block', `\`\`\`json\n${RIGHT}\n\`\`\``],
    ['in a code block with words around it', `Here it is:\n\n\`\`\`\n${RIGHT}\n\`\`\`\nDone.`],
  ])('is given as a value %s', async (_, text) => {
    const { orchestrator, requests } = converse([says(text)]);
    const result = await orchestrator.run('Report.', { output: report });
    expect(result).toMatchObject({ output: { team: 'sales', total: 12.5 }, text, turns: 1 });
    expect(requests).toHaveLength(1);
  });

  it('may be of any type, and is what a zod schema makes of it', async () => {
    const { orchestrator } = converse([says('["1","2"]'), says('"done"'), says('{"n":"7"}')]);
    const list = z.array(z.string().transform(Number));
    expect((await orchestrator.run('List.', { output: list })).output).toEqual([1, 2]);
    const word = { enum: ['done', 'open'] };
    expect((await orchestrator.run('Word.', { output: word })).output).toBe('done');
    const old = z3.object({ n: z3.string().transform(Number) });
    expect((await orchestrator.run('Old.', { output: old })).output).toEqual({ n: 7 });
  });

  it('may have a schema of another library, whose error message is in the request for a correction', async () => {
    const { orchestrator, requests } = converse([says('{"n":7}'), says('{"n":"7"}'), says('"8"')]);
    const ark = type({ n: 'string.numeric.parse' });
    expect((await orchestrator.run('Number.', { output: ark })).output).toEqual({ n: 7 });
    expect(JSON.stringify(requests[1]?.messages)).toContain('n must be a string (was a number)');
    const valibot = toStandardJsonSchema(v.pipe(v.string(), v.transform(Number)));
    expect((await orchestrator.run('Next.', { output: valibot })).output).toBe(8);
  });

  it('is told to the model in the prompt of this run alone', async () => {
    const { orchestrator, requests } = converse([says(RIGHT), says('Hello.')]);
    await orchestrator.run('Report.', { output: jsonSchema });
    const { output } = await orchestrator.run('Hello?');
    expect(output).toBeUndefined();
    expect(requests[0]?.system).toContain(JSON.stringify(jsonSchema));
    expect(requests[0]?.system).toMatch(/final answer must be one JSON value/);
    expect(requests[1]?.system).not.toMatch(/JSON Schema/);
  });

  it.each([
    ['is not JSON', 'The total is 12.5.', /the answer: it is not JSON/],
    ['is empty', ' ', /the answer: it is empty/],
    ['lacks a property', '{"team":"sales"}', /total: missing, expected number/],
    ['has a wrong type', '{"team":"sales","total":"x"}', /total: expected number, received string/],
    ['has a property too many', '{"team":"s","total":1,"a":2}', /unknown property "a"/],
    ['is of another type', '[1]', /the answer: expected object, received array/],
    ['has a number that is too large', '{"team":"s","total":1e999}', /total: the number is too/],
    ['has a whole number that is too large', '{"team":"s","total":9007199254740993}', /too large/],
    [
      'has a key __proto__',
      '{"__proto__":{},"team":"s","total":1}',
      /a key named __proto__ is not allowed/,
    ],
    ['is nested too deep', '['.repeat(100) + ']'.repeat(100), /nested more than 64 deep/],
    ['is not right in its code block', '```json\n{"team"}\n```', /it is not JSON/],
  ])('that %s is asked for once again with the reason', async (_, wrong, reason) => {
    const { orchestrator, requests } = converse([says(wrong), says(RIGHT)]);
    const { output, turns, usage, messages } = await orchestrator.run('Report.', {
      output: jsonSchema,
    });
    expect(output).toEqual(JSON.parse(RIGHT));
    expect(turns).toBe(2);
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: expect.arrayContaining([{ type: 'text', text: expect.stringMatching(reason) }]),
    });
    // An answer that says nothing is not a message: the request then has both texts.
    const roles =
      wrong.trim() === '' ? ['user', 'assistant'] : ['user', 'assistant', 'user', 'assistant'];
    expect(messages.map(({ role }) => role)).toEqual(roles);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(orchestrator.usage).toEqual(usage);
  });

  it('that is wrong twice ends the run with OUTPUT_INVALID, and the conversation goes on', async () => {
    const { orchestrator, requests } = converse([says('No.'), says('[]'), says('I see.')]);
    const events: RunEvent[] = [];
    const error = await refusalOf(
      orchestrator.run('Report.', { output: report, onEvent: (event) => events.push(event) }),
    );
    expect(error).toMatchObject({
      code: 'OUTPUT_INVALID',
      message: expect.stringContaining('the answer: expected object, received array'),
      details: { text: '[]', reason: 'the answer: expected object, received array' },
    });
    expect(error.details['usage']).toEqual(orchestrator.usage);
    expect(events.at(-1)).toMatchObject({ type: 'run-failed', error: { code: 'OUTPUT_INVALID' } });
    const { text } = await orchestrator.run('What went wrong?');
    expect(text).toBe('I see.');
    const sent = requests[2]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('that is wrong leaves nothing where failed runs are discarded', async () => {
    const { orchestrator } = converse([says('No.'), says('No.')], { onFailure: 'discard' });
    const error = await refusalOf(orchestrator.run('Report.', { output: report }));
    expect(error.code).toBe('OUTPUT_INVALID');
    expect(orchestrator.messages).toEqual([]);
  });

  it('that is wrong in the last turn says that no turn is left', async () => {
    const { orchestrator, requests } = converse([says('No.')], { maxTurns: 1 });
    const error = await refusalOf(orchestrator.run('Report.', { output: report }));
    expect(error).toMatchObject({
      code: 'OUTPUT_INVALID',
      message: expect.stringContaining('maxTurns leaves no turn'),
      details: { text: 'No.' },
    });
    expect(requests).toHaveLength(1);
  });

  it('may come after programs, before and after it was asked for again', async () => {
    const turns: ScriptedTurn[] = [
      runs('print(12.5)'),
      says('12.5'),
      runs('print("again")', 'b'),
      says(RIGHT),
    ];
    const { orchestrator } = converse(turns);
    const { output, turns: count } = await orchestrator.run('Report.', { output: report });
    expect({ output, count }).toEqual({ output: JSON.parse(RIGHT), count: 4 });
  });

  it('is in the last event of a stream', async () => {
    const { orchestrator } = converse([says(RIGHT)]);
    const events: RunEvent[] = [];
    for await (const event of orchestrator.stream('Report.', { output: report }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'run-ended',
      result: { output: { team: 'sales' } },
    });
  });

  it('is undefined if stopWhen ended the run before', async () => {
    const { orchestrator } = converse([runs('print(1)'), says(RIGHT)], { stopWhen: () => true });
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): number => events.push(event);
    const stopped = await orchestrator.run('Report.', { output: report, onEvent });
    expect(stopped.endedBy).toBe('stop-when');
    expect(stopped.output).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'run-ended', result: { output: undefined } });
    const answered = await orchestrator.run('Go on.', { output: report });
    expect(answered.output?.team).toBe('sales');
  });

  it('is undefined if stopWhen ended a run without the option output', async () => {
    const { orchestrator } = converse([runs('print(1)')], { stopWhen: () => true });
    expect(await orchestrator.run('Go.')).toMatchObject({
      endedBy: 'stop-when',
      output: undefined,
    });
  });

  it.each([
    ['a schema of no kind', 5, /output: The schema is neither/],
    [
      'a JSON Schema that cannot be compiled',
      { type: 'nothing' },
      /output: The JSON Schema cannot/,
    ],
    [
      'a zod schema that JSON has no words for',
      z.object({ a: z.map(z.string(), z.number()) }),
      /output: The schema cannot .*the map at properties.a/,
    ],
    [
      'a zod schema with an async check',
      z.string().refine(async (name) => Promise.resolve(name !== '')),
      /output: A refinement or transform of the schema of output is an async .*Make it synchronous\.$/,
    ],
    ['a schema without a JSON Schema', v.object({}), /output: .*Pass toStandardJsonSchema/],
  ])('is refused with OPTION_INVALID for %s', async (_, output, message) => {
    const { orchestrator, requests } = converse([says('{}')]);
    const error = await refusalOf(orchestrator.run('Report.', { output: output as object }));
    expect(error).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
    });
    expect(requests).toEqual([]);
  });
});

it('the type of an output comes from its schema, or is said', () => {
  const typed = async (orchestrator: ProgrammaticToolOrchestrator): Promise<void> => {
    const zod4 = await orchestrator.run('', { output: report });
    expectTypeOf(zod4.output).toEqualTypeOf<
      { team: string; total: number; day?: string | undefined } | undefined
    >();
    const zod3 = await orchestrator.run('', { output: z3.array(z3.string().transform(Number)) });
    expectTypeOf(zod3.output).toEqualTypeOf<number[] | undefined>();
    const ark = await orchestrator.run('', { output: type({ n: 'string.numeric.parse' }) });
    expectTypeOf(ark.output).toEqualTypeOf<{ n: number } | undefined>();
    const valibot = await orchestrator.run('', {
      output: toStandardJsonSchema(v.pipe(v.string(), v.transform(Number))),
    });
    expectTypeOf(valibot.output).toEqualTypeOf<number | undefined>();
    const said = await orchestrator.run<{ team: string }>('', { output: jsonSchema });
    expectTypeOf(said.output).toEqualTypeOf<{ team: string } | undefined>();
    const unsaid = await orchestrator.run('', { output: jsonSchema });
    expectTypeOf(unsaid.output).toEqualTypeOf<JsonValue | undefined>();
    const text = await orchestrator.run('', { maxTokens: 5 });
    expectTypeOf(text.output).toEqualTypeOf<JsonValue | undefined>();
    // @ts-expect-error the schema makes text of it
    await orchestrator.run<number>('', { output: z.string() });
  };
  expect(typed).toBeTypeOf('function');
});

describe('the value of a run', () => {
  it('is that of the last program that returned one', async () => {
    const { orchestrator } = converse([
      runs('submit({"a": 1})', 'a'),
      runs('{"b": 2}', 'b'),
      runs('print("nothing")', 'c'),
      says('Done.'),
      says('No program.'),
    ]);
    expect((await orchestrator.run('Go.')).value).toEqual({ b: 2 });
    expect((await orchestrator.run('Go on.')).value).toBeUndefined();
  });

  it('is of a program that failed after it had submitted, too', async () => {
    const { orchestrator } = converse([runs('submit([1])\n1 / 0'), says('Failed.')]);
    expect((await orchestrator.run('Go.')).value).toEqual([1]);
  });

  it('is not mentioned to the model, nor is submit', async () => {
    const { orchestrator, requests } = converse([runs('submit(7)\nprint("said")'), says('Done.')]);
    await orchestrator.run('Go.');
    expect(JSON.stringify([requests[0]?.system, requests[0]?.tools])).not.toContain('submit');
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('said');
    expect(JSON.stringify(requests[1]?.messages.at(-1))).not.toContain('7');
  });
});
