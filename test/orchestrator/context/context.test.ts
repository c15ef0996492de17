import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { countingModel } from './counting-model.ts';
import { compactions, converseWith, long } from './reading-conversation.ts';
import { refusalOf, says, uses } from '../support.ts';

describe('a conversation that grows long', () => {
  it('has old results shortened first, and says how long they were', async () => {
    const model = countingModel(20_000, (_request, before) =>
      before % 2 === 0 ? [uses('read', { length: 9000 }, `r${before}`)] : says('Read.'),
    );
    const { run, events, orchestrator } = converseWith(model);
    for (let at = 0; at < 5; at += 1) await run(`Read ${at}.`);
    expect(compactions(events)).toMatchObject([{ summary: undefined, usage: { inputTokens: 0 } }]);
    expect(model.requests.filter(({ isSummary }) => isSummary)).toEqual([]);
    const [first] = orchestrator.messages[2]?.content ?? [];
    expect(first).toMatchObject({
      type: 'tool-result',
      text: expect.stringMatching(/^"<r+\n\[… 8404 characters left out; .* shortened …\]\nr+>"$/),
    });
    expect(JSON.stringify(orchestrator.messages.at(-2))).toContain('r'.repeat(9000));
  });

  it('goes on after a call whose arguments look like a file without its data', async () => {
    const file = { type: 'document', source: null };
    const model = countingModel(20_000, (_request, before) =>
      before === 0 ? [uses('read', { length: 9, file })] : says('Read.'),
    );
    const { run } = converseWith(model);
    expect(await run('Read it.')).toBe('Read.');
    expect(await run('Read it again.')).toBe('Read.');
  });

  it('is summed up by the model, whose tokens count, and goes on from the summary', async () => {
    const model = countingModel(
      20_000,
      () => says(long('a')),
      () => 'They talked about boats.',
    );
    const { run, events, orchestrator } = converseWith(model);
    for (let at = 0; at < 7; at += 1) await run(`Question ${at}: ${long('q')}`);
    const [compacted] = compactions(events);
    expect(compacted).toMatchObject({ turn: 1, summary: 'They talked about boats.' });
    expect(compacted?.tokensBefore).toBeGreaterThan(15_000);
    expect(compacted?.tokensAfter).toBeLessThan(11_000);
    const summary = model.requests.find(({ isSummary }) => isSummary);
    expect(compacted?.usage.inputTokens).toBe(summary?.tokens);
    expect(summary?.tools).toEqual([]);
    expect(JSON.stringify(summary?.messages)).toContain('Question 0');
    expect(JSON.stringify(orchestrator.messages[0])).toContain('They talked about boats.');
    expect(JSON.stringify(orchestrator.messages)).not.toContain('Question 0');
    const counted = model.requests.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(orchestrator.usage.inputTokens).toBe(counted);
  });

  it('is summed up by a function of the caller’s, which gets what is left out', async () => {
    const model = countingModel(20_000, () => says(long('a')));
    const left: (readonly ModelMessage[])[] = [];
    const { run, orchestrator } = converseWith(model, {
      summarize: async (messages, { signal }) => {
        expect(signal.aborted).toBe(false);
        left.push(messages);
        return 'My own words.';
      },
    });
    for (let at = 0; at < 7; at += 1) await run(`Question ${at}: ${long('q')}`);
    expect(left).toHaveLength(1);
    expect(JSON.stringify(left)).toContain('Question 0');
    expect(JSON.stringify(orchestrator.messages[0])).toContain('My own words.');
    expect(model.requests.filter(({ isSummary }) => isSummary)).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => Promise.reject(new Error('No words.')),
      'RUN_FAILED',
      /summarize threw: No words/,
    ],
    [
      'gives no text',
      () => 7 as unknown as string,
      'OPTION_INVALID',
      /summarize must return a text/,
    ],
    ['gives a blank text', () => ' ', 'OPTION_INVALID', /summarize must return a text/],
  ])('with a function that %s ends the run, and keeps all', async (_, summarize, code, message) => {
    const model = countingModel(20_000, () => says(long('a')));
    const { run, orchestrator } = converseWith(model, { summarize });
    const runs = async (): Promise<void> => {
      for (let at = 0; at < 7; at += 1) await run(`Question ${at}: ${long('q')}`);
    };
    expect(await refusalOf(runs())).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(JSON.stringify(orchestrator.messages)).toContain('Question 0');
  });

  it('keeps the request of the run under way word for word', async () => {
    const model = countingModel(20_000, (request, before) =>
      before < 12
        ? [{ type: 'text', text: long('a') }, uses('read', { length: 10 }, `r${before}`)]
        : says('Done.'),
    );
    const { run, events } = converseWith(model, { maxTurns: 20 });
    await run('Count the red boats.');
    expect(compactions(events).length).toBeGreaterThan(0);
    const [first] = model.requests.at(-1)?.messages ?? [];
    expect(first?.content).toMatchObject([
      { text: expect.stringContaining('SUMMARY') },
      { text: 'Count the red boats.' },
    ]);
  });

  it('is not taken for long since its service adds something to each request', async () => {
    const model = countingModel(50_000, (_request, before) =>
      before === 1 ? [uses('read', { length: 45_000 })] : says('Yes.'),
    );
    const { run, events } = converseWith({
      ...model,
      async *stream(request) {
        for await (const part of model.stream(request)) {
          if (part.type !== 'answer-ended') yield part;
          else {
            const { usage } = part;
            yield { ...part, usage: { ...usage, inputTokens: usage.inputTokens + 400 } };
          }
        }
      },
    });
    await run('Hi.');
    await run('Read.');
    expect(compactions(events)).toEqual([]);
  });

  it('goes on if the model does not sum up', async () => {
    const model = countingModel(
      20_000,
      () => says(long('a')),
      () => ' ',
    );
    const { run, events } = converseWith(model);
    for (let at = 0; at < 7; at += 1) await run(`Question ${at}: ${long('q')}`);
    expect(compactions(events)[0]?.summary).toContain('Question 0');
  });

  it.each([{ maxCost: 1, priceOf: () => 1 }, { maxTotalTokens: 10_000 }])(
    'is summed up no further once the run has reached a limit (%j)',
    async (limit) => {
      const { orchestrator, run } = converseWith(countingModel(1_000_000, () => says(long('a'))));
      for (let at = 0; at < 20; at += 1) await run(`Question ${at}: ${long('q')}`);
      const small = countingModel(20_000, () => says('Never said.'));
      const error = await refusalOf(orchestrator.run('And now?', { model: small, ...limit }));
      expect(error.code).toBe('RUN_LIMIT');
      expect(small.requests.map(({ isSummary }) => isSummary)).toEqual([true]);
    },
  );
});

describe('a model that does not say what it can read', () => {
  it('and refuses a request for its length is asked again with a shorter one', async () => {
    const model = countingModel(20_000, () => says(long('a')), undefined, false);
    const { run, events } = converseWith(model);
    for (let at = 0; at < 9; at += 1) await run(`Question ${at}: ${long('q')}`);
    expect(model.refusals).toBe(1);
    // From then on it is known.
    for (let at = 0; at < 20; at += 1) await run(`Question ${at}: ${long('q')}`);
    expect(model.refusals).toBe(1);
    expect(compactions(events).length).toBeGreaterThan(1);
  });

  it('has a record summed up in parts that is itself too long for it', async () => {
    const large = countingModel(1_000_000, () => says(long('a')));
    const { orchestrator, run } = converseWith(large);
    for (let at = 0; at < 20; at += 1) await run(`Question ${at}: ${long('q')}`);
    const small = countingModel(
      20_000,
      () => says('Short.'),
      ({ messages }) =>
        `So far: ${(JSON.stringify(messages).match(/Question \d+/g) ?? []).join(' ')}`,
      false,
    );
    const { messages } = await orchestrator.run('And now?', { model: small });
    expect(small.requests.filter(({ isSummary }) => isSummary).length).toBeGreaterThan(1);
    expect(JSON.stringify(messages[0])).toContain('Question 0');
  });

  it('and fills up with its answer is asked again; what was told of the answer is void', async () => {
    const model = countingModel(
      1_000_000,
      (_request, before) =>
        before === 3
          ? { content: says('Half of'), stopReason: 'context-window-exceeded' }
          : says(before < 3 ? long('a') : 'All of it.'),
      undefined,
      false,
    );
    const { run, events, orchestrator } = converseWith(model);
    for (let at = 0; at < 3; at += 1) await run(`Question ${at}: ${long('q')}`);
    events.length = 0;
    expect(await run('And?')).toBe('All of it.');
    const types = events.map(({ type }) => type);
    expect(types).toEqual([
      'run-started',
      'turn-started',
      'text-delta',
      'context-compacted',
      'answer-discarded',
      'text-delta',
      'turn-ended',
      'run-ended',
    ]);
    expect(JSON.stringify(orchestrator.messages)).not.toContain('Half of');
    const counted = model.requests.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(orchestrator.usage.inputTokens).toBe(counted);
  });
});
