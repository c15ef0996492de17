import { checkMessages } from '../../src/orchestrator/conversation/conversation-document.ts';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../src/models/language-model.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { converse, refusalOf, runs, says, uses } from './support.ts';

describe('how a run ends', () => {
  it('with a typed error and the transcript where the model does not finish [case 111]', async () => {
    const { orchestrator, requests } = converse(
      Array.from({ length: 5 }, (_, i) => runs(`print(${i})`)),
      { maxTurns: 3 },
    );
    const error = await refusalOf(orchestrator.run('Forever.'));
    expect(error.code).toBe('TURN_LIMIT');
    expect(requests).toHaveLength(3);
    const transcript = error.details['transcript'] as ModelMessage[];
    expect(transcript).toHaveLength(7);
    expect(JSON.stringify(transcript.at(-1))).toContain('"2"');
  });

  it('with MODEL_OUTPUT_LIMIT and the text where an answer is cut off', async () => {
    const { orchestrator } = converse(
      [{ content: says('The answer is 4'), stopReason: 'max-tokens' }],
      { maxTokens: 5 },
    );
    const error = await refusalOf(orchestrator.run('What?'));
    expect(error).toMatchObject({
      code: 'MODEL_OUTPUT_LIMIT',
      message: expect.stringContaining('5 tokens'),
      details: { text: 'The answer is 4' },
    });
  });

  it('not where a program is cut off: none of it runs, and the model is told [case 110]', async () => {
    let called = 0;
    const { orchestrator, results, provider } = converse(
      [{ content: runs('await pay()'), stopReason: 'max-tokens' }, says('Shorter now.')],
      {
        toolList: [
          {
            name: 'pay',
            description: 'Pays.',
            run: () => {
              called += 1;
            },
          },
        ],
      },
    );
    expect((await orchestrator.run('Pay.')).text).toBe('Shorter now.');
    expect(results(1)).toMatchObject([
      { isError: true, text: expect.stringContaining('nothing was run') },
    ]);
    expect(called).toBe(0);
    expect(provider.created.size).toBe(0);
  });

  it('not at a pause: the model is asked again with its own answer', async () => {
    const { orchestrator, requests } = converse([
      { content: says('Thinking …'), stopReason: 'pause' },
      says('Done.'),
    ]);
    // The answer goes on where it was paused.
    expect((await orchestrator.run('Long.')).text).toBe('Thinking …Done.');
    checkMessages(orchestrator.messages);
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: says('Thinking …'),
    });
  });

  it.each([
    ['refusal', 'MODEL_REFUSED'],
    ['unknown', 'MODEL_STOP_UNKNOWN'],
  ] as const)(
    'at a stop for %s with %s and the transcript [case 111]',
    async (stopReason, code) => {
      const { orchestrator } = converse([{ content: says('No.'), stopReason }]);
      expect(await refusalOf(orchestrator.run('Please.'))).toMatchObject({
        code,
        details: { text: 'No.', transcript: [{ role: 'user' }, { role: 'assistant' }] },
      });
    },
  );

  it('with the code’s tools run where a service says end beside a call', async () => {
    const { orchestrator } = converse([
      { content: runs('print("ran")'), stopReason: 'end' },
      says('OK.'),
    ]);
    expect(await orchestrator.run('Go.')).toMatchObject({ text: 'OK.', turns: 2 });
  });
});

describe('the history', () => {
  it('is kept over runs and goes with each request', async () => {
    const { orchestrator, requests } = converse([says('Paris.'), says('Berlin.')]);
    await orchestrator.run('France?');
    await orchestrator.run('Germany?');
    expect(JSON.stringify(requests[1]?.messages)).toMatch(/France\?.*Paris\..*Germany\?/s);
    expect(orchestrator.messages).toHaveLength(4);
  });

  it('is forgotten with its session by a reset', async () => {
    const { orchestrator, requests, provider } = converse([
      runs('x = 1'),
      says('Set.'),
      says('New.'),
    ]);
    await orchestrator.run('Set.');
    expect(provider.open.size).toBe(1);
    await orchestrator.resetConversation();
    expect(orchestrator.messages).toEqual([]);
    expect(await orchestrator.sessionInfo()).toBeUndefined();
    expect(provider.open.size).toBe(0);
    await orchestrator.run('Fresh.');
    expect(requests[2]?.messages).toHaveLength(1);
  });

  it('that was handed out does not change later, nor do requests', async () => {
    const { orchestrator, requests } = converse([runs('1'), says('One.'), says('Two.')]);
    const first = await orchestrator.run('First.');
    const copy = structuredClone(first.messages);
    const firstRequest = structuredClone(requests[0]?.messages);
    await orchestrator.run('Second.');
    expect(first.messages).toEqual(copy);
    expect(requests[0]?.messages).toEqual(firstRequest);
  });
});

describe('aborting and closing', () => {
  const hang = (): {
    entered: Promise<AbortSignal>;
    tool: Parameters<typeof converse>[1];
  } => {
    const entered = createDeferred<AbortSignal>();
    return {
      entered: entered.promise,
      tool: {
        toolList: [
          {
            name: 'hang',
            description: 'Never answers.',
            allowedCallers: ['code', 'direct'],
            run: async (_input, { signal }) => {
              entered.resolve(signal);
              return new Promise(() => {});
            },
          },
        ],
      },
    };
  };

  it.each([
    ['code', runs('await hang()')],
    ['a direct tool', [uses('hang', {})]],
  ])('an abort during %s ends the run with ABORTED and tells the tool', async (_, turn) => {
    const { entered, tool } = hang();
    const { orchestrator } = converse([turn, says('Never said.')], tool);
    const controller = new AbortController();
    const refusal = refusalOf(orchestrator.run('Go.', { signal: controller.signal }));
    const signal = await entered;
    controller.abort();
    expect((await refusal).code).toBe('ABORTED');
    expect(signal.aborted).toBe(true);
    expect(JSON.stringify(orchestrator.messages)).toContain('not known whether this was done');
  });

  it('an abort leaves the session’s state to the next run', async () => {
    const { entered, tool } = hang();
    const { orchestrator, results } = converse(
      [runs('x = 7'), runs('await hang()'), runs('print(x)'), says('Seven.')],
      tool,
    );
    const controller = new AbortController();
    const refusal = refusalOf(orchestrator.run('Go.', { signal: controller.signal }));
    await entered;
    controller.abort();
    await refusal;
    expect((await orchestrator.run('And x?')).text).toBe('Seven.');
    expect(results(3)).toEqual([{ text: '7', isError: false }]);
  });

  it('an abort before the run asks the model nothing', async () => {
    const { orchestrator, provider } = converse([says('Never said.')]);
    const refusal = await refusalOf(orchestrator.run('Go.', { signal: AbortSignal.abort() }));
    expect(refusal.code).toBe('ABORTED');
    expect(orchestrator.messages).toEqual([]);
    expect(provider.created.size).toBe(0);
  });

  it('an abort while another run is under way ends the waiting at once, and that run goes on', async () => {
    const { entered, tool } = hang();
    const { orchestrator, requests } = converse([runs('await hang()'), says('Never said.')], tool);
    const [first, second] = [new AbortController(), new AbortController()];
    const refusal = refusalOf(orchestrator.run('First.', { signal: first.signal }));
    const signal = await entered;
    const events: string[] = [];
    const waiting = orchestrator.run('Second.', {
      signal: second.signal,
      onEvent: ({ type }) => events.push(type),
    });
    second.abort();
    expect(await refusalOf(waiting)).toMatchObject({ code: 'ABORTED' });
    expect(signal.aborted).toBe(false);
    first.abort();
    expect((await refusal).code).toBe('ABORTED');
    expect(JSON.stringify(orchestrator.messages)).not.toContain('Second.');
    expect([requests.length, events]).toEqual([1, []]);
  });

  it('a signal that is not an AbortSignal is refused, and nothing is begun', async () => {
    const { orchestrator, requests } = converse([says('Never said.')]);
    const signal = 'soon' as unknown as AbortSignal;
    const invalid = { code: 'OPTION_INVALID', message: expect.stringContaining('signal') };
    await expect(orchestrator.run('Go.', { signal })).rejects.toMatchObject(invalid);
    expect(() => orchestrator.stream('Go.', { signal })).toThrow(expect.objectContaining(invalid));
    expect([requests, orchestrator.messages]).toEqual([[], []]);
  });

  it('closing during a run ends it with CLOSED and leaves no sandbox', async () => {
    const { entered, tool } = hang();
    const { orchestrator, provider } = converse([runs('await hang()')], tool);
    const refusal = refusalOf(orchestrator.run('Go.'));
    const signal = await entered;
    await orchestrator.close();
    expect((await refusal).code).toBe('CLOSED');
    expect(signal.aborted).toBe(true);
    expect(await provider.remaining()).toEqual([]);
    expect((await refusalOf(orchestrator.run('Again.'))).code).toBe('CLOSED');
  });

  it('two runs at once wait for one another and share the history', async () => {
    const { orchestrator, requests } = converse([runs('x = 1'), says('One.'), says('Two.')]);
    const [first, second] = await Promise.all([
      orchestrator.run('First.'),
      orchestrator.run('Second.'),
    ]);
    expect([first.text, second.text]).toEqual(['One.', 'Two.']);
    expect(JSON.stringify(requests[2]?.messages)).toMatch(/First\..*One\..*Second\./s);
  });
});
