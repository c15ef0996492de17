import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import { startAnthropicServer, wholeAnswer, type Reply } from '../../support/anthropic-server.ts';
import { countingModel } from './counting-model.ts';
import { compactions, converseWith, long } from './reading-conversation.ts';
import { converse, refusalOf, says, uses } from '../support.ts';

describe('what cannot fit', () => {
  it('as an input is a typed error that says so, and the conversation goes on without it', async () => {
    const model = countingModel(20_000, () => says('Yes.'));
    const { orchestrator } = converseWith(model);
    await orchestrator.run('Are you there?');
    const before = orchestrator.messages;
    const error = await refusalOf(orchestrator.run('long '.repeat(40_000)));
    expect(error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringMatching(/its last input takes about \d+ tokens\. Use a shorter input/),
      details: { part: 'input' },
    });
    expect(orchestrator.messages).toEqual(before);
    expect((await orchestrator.run('Still there?')).text).toBe('Yes.');
  });

  it('as instructions is a typed error that says so', async () => {
    const model = countingModel(20_000, () => says('Yes.'));
    const { orchestrator } = converseWith(model, { instructions: 'rule '.repeat(40_000) });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringMatching(/the instructions and the tools take about \d+ tokens/),
      details: { part: 'instructions' },
    });
  });

  it.each([true, false])(
    'as instructions of one run costs the conversation nothing, if the model tells its window: %s',
    async (knowsWindow) => {
      const model = countingModel(20_000, () => says(long('Yes.')), undefined, knowsWindow);
      const { orchestrator } = converseWith(model);
      for (const question of ['One?', 'Two?', 'Three?']) await orchestrator.run(question);
      const before = orchestrator.messages;
      const instructions = 'rule '.repeat(40_000);
      expect(await refusalOf(orchestrator.run('Go.', { instructions }))).toMatchObject({
        code: 'MODEL_CONTEXT_EXCEEDED',
        details: { part: 'instructions' },
      });
      expect(orchestrator.messages.slice(0, before.length)).toEqual(before);
      expect(model.requests.filter(({ isSummary }) => isSummary)).toEqual([]);
      const { text } = await orchestrator.run('Four?');
      expect(text).toBe(long('Yes.'));
    },
  );

  it('as the newest result is shortened', async () => {
    const model = countingModel(8000, (_request, before) =>
      before === 0 ? [uses('read', { length: 40_000 })] : says('Read.'),
    );
    const { run, orchestrator } = converseWith(model);
    expect(await run('Read.')).toBe('Read.');
    expect(JSON.stringify(orchestrator.messages)).toMatch(/\d+ characters left out/);
  });

  it('because maxTokens is as large as the context window is an invalid option', async () => {
    const model = countingModel(4000, () => says('Yes.'));
    const { orchestrator } = converseWith(model, { maxTokens: 4000 });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('Lower maxTokens'),
    });
  });
});

describe('a real client whose service has no code for a prompt that is too long', () => {
  it('is asked again with a shorter one', async () => {
    const answer = (text: string): Reply => ({
      events: wholeAnswer({ content: [{ type: 'text', text }] }),
      ending: 'end',
    });
    const message = 'prompt is too long: 208310 tokens > 200000 maximum';
    await using server = await startAnthropicServer([
      answer('a'.repeat(1500)),
      { status: 400, error: { type: 'invalid_request_error', message } },
      answer('They talked about boats.'),
      answer('Yes.'),
    ]);
    const { baseUrl } = server;
    const model = anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl });
    const { orchestrator } = converse([], { model, instructions: long('i') });
    await orchestrator.run(`Boats? ${'q'.repeat(1500)}`);
    expect((await orchestrator.run('Still?')).text).toBe('Yes.');
    expect(server.requests).toHaveLength(4);
    expect(server.requests[3]?.body).toMatchObject({ messages: [{ role: 'user' }] });
    expect(JSON.stringify(server.requests[3]?.body)).toMatch(/They talked about boats.*Still\?/);
  });
});

describe('an image', () => {
  const data = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    Buffer.alloc(300_000, 'pixels'),
  ]).toString('base64');
  const image = { type: 'image', mediaType: 'image/png', data } as const;

  it('is not taken for a long text, and stays with the request that is worked on', async () => {
    const model = countingModel(1_000_000, (_request, before) =>
      before < 8
        ? [...says(long('a')), uses('read', { length: 10 }, `r${before}`)]
        : says('Boats.'),
    );
    const { orchestrator, events, onEvent } = converseWith({
      ...model,
      contextWindowTokens: 12_000,
    });
    const question = { type: 'text', text: 'What is this?' } as const;
    const { messages } = await orchestrator.run([image, question], { onEvent, maxTurns: 20 });
    expect(messages[0]?.content).toMatchObject([{ type: 'text' }, image, question]);
    // The first turns have room.
    const [first] = compactions(events);
    expect(first?.turn).toBeGreaterThan(2);
  });
});

describe('a call with an unknown outcome', () => {
  it('is still named after the conversation was summed up twice', async () => {
    const stop = new AbortController();
    const model = countingModel(20_000, (_request, before) =>
      before === 0 ? [uses('pay', { amount: 7 })] : says(long('a')),
    );
    const { orchestrator } = converse([], {
      model,
      mode: 'direct',
      maxTokens: 500,
      toolList: [
        {
          name: 'pay',
          description: 'Pays.',
          allowedCallers: ['direct'],
          inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
          run: async () => {
            stop.abort();
            return new Promise(() => {});
          },
        },
      ],
    });
    await refusalOf(orchestrator.run('Pay.', { signal: stop.signal }));
    for (let at = 0; at < 14; at += 1) await orchestrator.run(`Question ${at}: ${long('q')}`);
    expect(model.requests.filter(({ isSummary }) => isSummary).length).toBeGreaterThan(1);
    const [first] = orchestrator.messages;
    expect(JSON.stringify(first)).toMatch(
      /pay\(\{\\"amount\\":7\}\): Cancelled: .*it is not known whether this was done/,
    );
  });
});
