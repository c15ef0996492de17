import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type {
  FinishedTurn,
  PreparedTurn,
  TurnToPrepare,
} from '../../../src/orchestrator/turns/hooks.ts';
import { rejectionsDuring } from '../../support/unhandled-rejections.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

const note = {
  name: 'note',
  description: 'Notes.',
  allowedCallers: ['direct'] as const,
  run: () => 'noted',
};

const other: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Instead.' }] }];

describe('prepareTurn', () => {
  it('that rejects after its run was aborted causes no unhandled rejection', async () => {
    const stop = new AbortController();
    const { orchestrator } = converse([says('Never.')], {
      prepareTurn: async ({ signal }) => {
        stop.abort();
        // As a request does that is given the signal.
        await new Promise((resolve) => setImmediate(resolve));
        throw signal.reason;
      },
    });
    const unhandled = await rejectionsDuring(async () => {
      const running = orchestrator.run('Go.', { signal: stop.signal });
      expect(await refusalOf(running)).toMatchObject({ code: 'ABORTED' });
    });
    expect(unhandled).toEqual([]);
  });

  it('is called before the model is asked in each turn', async () => {
    const told: TurnToPrepare[] = [];
    const { orchestrator } = converse([[uses('note', {})], says('Done.')], {
      toolList: [note],
      prepareTurn: (turn) => {
        told.push(turn);
      },
    });
    await orchestrator.run('Go.');
    expect(told).toMatchObject([
      {
        turn: 1,
        tools: ['execute_code', 'note'],
        model: { id: 'scripted' },
        usage: { inputTokens: 0 },
      },
      { turn: 2, messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }] },
    ]);
    expect(told[1]?.usage.inputTokens).toBeGreaterThan(0);
  });

  it('changes the messages of its turn alone, and not the conversation', async () => {
    const { orchestrator, requests } = converse([runs('print(1)'), says('Done.')], {
      prepareTurn: async ({ turn }) => (turn === 1 ? { messages: other } : undefined),
    });
    await orchestrator.run('Go.');
    expect(requests[0]?.messages).toEqual(other);
    expect(JSON.stringify(requests[1]?.messages)).toContain('Go.');
    expect(JSON.stringify(orchestrator.messages)).not.toContain('Instead.');
  });

  it('offers some of the tools, and a call of another one is not made', async () => {
    let noted = 0;
    const run = (): void => {
      noted += 1;
    };
    const { orchestrator, requests, results } = converse(
      [[uses('note', {}, 'a')], [uses('note', {}, 'b')], says('Done.')],
      {
        toolList: [{ ...note, run }],
        prepareTurn: ({ turn }) => (turn === 1 ? { tools: ['execute_code'] } : {}),
      },
    );
    await orchestrator.run('Go.');
    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['execute_code'],
      ['execute_code', 'note'],
      ['execute_code', 'note'],
    ]);
    expect(results(1)).toEqual([{ text: 'There is no tool named note.', isError: true }]);
    expect(noted).toBe(1);
  });

  it('says for its turn whether the model calls a tool', async () => {
    const defaults: unknown[] = [];
    const { orchestrator, requests } = converse([[uses('note', {})], says('Done.')], {
      toolList: [note],
      prepareTurn: ({ turn, toolChoice }) => {
        defaults.push(toolChoice);
        return turn === 1 ? { toolChoice: { tool: 'note' } } : {};
      },
    });
    await orchestrator.run('Go.');
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([{ tool: 'note' }, undefined]);
    expect(defaults).toEqual(['auto', 'auto']);
  });

  it('asks another model', async () => {
    const { orchestrator, requests } = converse([says('The first.')], {
      prepareTurn: ({ turn }) => (turn === 1 ? { model } : {}),
    });
    const model = { ...scriptedModel([runs('print(1)')]), id: 'second' };
    expect((await orchestrator.run('Go.')).text).toBe('The first.');
    expect(requests).toHaveLength(1);
  });

  const broken = {
    get messages(): never {
      throw new Error('No.');
    },
  };
  it.each<[string, unknown, string, string]>([
    ['a number', 7, 'OPTION_INVALID', 'prepareTurn must return an object'],
    ['null', null, 'OPTION_INVALID', 'prepareTurn must return an object'],
    [
      'an object that throws',
      broken,
      'OPTION_INVALID',
      'The options of prepareTurn cannot be read: No.',
    ],
    ['messages that are none', { messages: 7 }, 'CONVERSATION_INVALID', 'messages'],
    ['a message with a hole', { messages: [{ role: 'user' }] }, 'CONVERSATION_INVALID', 'content'],
    [
      'a result that nobody called',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool-result', toolUseId: 'x', text: '', isError: false }],
          },
        ],
      },
      'CONVERSATION_INVALID',
      'no call with this id',
    ],
    [
      'no messages',
      { messages: [] },
      'OPTION_INVALID',
      'The role of the last message of prepareTurn must be "user", not undefined.',
    ],
    [
      'a tool that is none',
      { tools: ['rm'] },
      'OPTION_INVALID',
      'must be names from the list execute_code, note, not "rm"',
    ],
    ['tools that are not a list', { tools: 'note' }, 'OPTION_INVALID', 'must be a list'],
    ['a choice that is none', { toolChoice: 'maybe' }, 'OPTION_INVALID', 'toolChoice must be'],
    [
      'the choice of a tool that it leaves out',
      { tools: ['execute_code'], toolChoice: { tool: 'note' } },
      'OPTION_INVALID',
      'does not get a tool named',
    ],
    ['a model that is none', { model: 'gpt' }, 'OPTION_INVALID', 'must be a model'],
  ])('that returns %s ends the run', async (_, given, code, message) => {
    const { orchestrator, requests } = converse([says('Never said.')], { toolList: [note] });
    const prepareTurn = (): PreparedTurn => given as PreparedTurn;
    expect(await refusalOf(orchestrator.run('Go.', { prepareTurn }))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(requests).toEqual([]);
  });

  it('that throws ends the run with RUN_FAILED and the cause', async () => {
    const cause = new Error('No database.');
    const { orchestrator } = converse([says('Never said.')], {
      prepareTurn: async () => Promise.reject(cause),
    });
    const error = await refusalOf(orchestrator.run('Go.'));
    expect(error).toMatchObject({ code: 'RUN_FAILED', message: 'prepareTurn threw: No database.' });
    expect(error.cause).toBe(cause);
    expect(orchestrator.messages).toHaveLength(1);
  });

  it('that never answers does not hold up an abort', async () => {
    const entered = createDeferred<void>();
    const { orchestrator } = converse([says('Never said.')], {
      prepareTurn: async () => {
        entered.resolve();
        return new Promise<undefined>(() => {});
      },
    });
    const controller = new AbortController();
    const refusal = refusalOf(orchestrator.run('Go.', { signal: controller.signal }));
    await entered.promise;
    controller.abort();
    expect((await refusal).code).toBe('ABORTED');
  });
});

describe('stopWhen', () => {
  it('ends the run normally after a turn whose tools were run, and the next run goes on', async () => {
    const told: FinishedTurn[] = [];
    const { orchestrator, requests } = converse(
      [
        [{ type: 'text', text: 'I note it.' }, uses('note', {}, 'a')],
        [...says('And again.'), uses('note', {}, 'b')],
        says('Done.'),
      ],
      {
        toolList: [note],
        stopWhen: async (turn) => {
          told.push(turn);
          return turn.turn === 2;
        },
      },
    );
    const result = await orchestrator.run('Go.');
    expect(result).toMatchObject({
      text: 'And again.',
      endedBy: 'stop-when',
      turns: 2,
      toolCalls: 2,
    });
    expect(result.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'tool-result', text: '"noted"' }],
    });
    expect(orchestrator.messages).toEqual(result.messages);
    expect(told).toMatchObject([
      { turn: 1, text: 'I note it.', toolCalls: 1 },
      { turn: 2, text: 'And again.', toolCalls: 2, usage: result.usage },
    ]);
    expect(await orchestrator.run('Go on.')).toMatchObject({ text: 'Done.', endedBy: 'answer' });
    expect(requests[2]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'tool-result' }, { type: 'text', text: 'Go on.' }],
    });
  });

  it('is not asked about an answer', async () => {
    const { orchestrator } = converse([says('Yes.')], {
      stopWhen: () => {
        throw new Error('Nobody asks.');
      },
    });
    expect((await orchestrator.run('Well?')).endedBy).toBe('answer');
  });

  it.each([
    ['throws', () => Promise.reject(new Error('No.')), 'RUN_FAILED', 'stopWhen threw: No.'],
    ['gives no boolean', () => 1 as never, 'OPTION_INVALID', 'stopWhen must return true or false'],
  ])('that %s ends the run, and what was done stays', async (_, stopWhen, code, message) => {
    const { orchestrator } = converse([[uses('note', {})]], { toolList: [note], stopWhen });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(JSON.stringify(orchestrator.messages)).toContain('noted');
  });
});
