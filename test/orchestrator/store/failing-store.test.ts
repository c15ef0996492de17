import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { checkMessages } from '../../../src/orchestrator/conversation-document.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import { converse, refusalOf, says } from '../support.ts';
import { BUYS, shop, texts, wholeRun } from './shop.ts';
import { MemoryStore } from './stores.ts';

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

describe('a store that fails', () => {
  it('ends the run, and the next run writes down what was missed', async () => {
    const whole = await wholeRun();
    for (let failing = 0; failing < whole.length; failing += 1) {
      const store = new MemoryStore();
      let appends = 0;
      const cause = new Error('The disk is full.');
      store.beforeAppend = () => {
        if (appends++ === failing) throw cause;
      };
      const { toolList, orders } = shop();
      const { orchestrator } = converse([...BUYS, says('I see.')], { toolList, store });
      const error = await orchestrator.run('Buy.').then(
        () => undefined,
        (one: unknown) => one,
      );
      // Entries that wait are written together, so that there are fewer appends than entries.
      if (error === undefined) continue;
      expect(error).toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringContaining('The disk is full.'),
      });
      expect(rootOf(error)).toBe(cause);
      const began = store.entries.filter(({ type }) => type === 'call-began');
      expect(orders.length).toBeLessThanOrEqual(began.length);
      await orchestrator.run('And now?');
      const later = converse([], { store }).orchestrator;
      await later.load();
      expect(later.messages).toEqual(JSON.parse(JSON.stringify(orchestrator.messages)));
      checkMessages(later.messages);
    }
  });

  it('is told in the events of the run, which has begun for its listener', async () => {
    const store = new MemoryStore();
    store.load = () => Promise.reject(new Error('The disk is gone.'));
    const { orchestrator } = converse([says('Never.')], { store });
    const events: unknown[] = [];
    const onEvent = ({ type }: { readonly type: string }): number => events.push(type);
    await refusalOf(orchestrator.run('Buy.', { onEvent }));
    expect(events).toEqual(['run-start', 'run-error']);
  });

  it('has no tool run whose call could not be written down', async () => {
    const store = new MemoryStore();
    store.beforeAppend = (entries) => {
      if (entries.some(({ type }) => type === 'call-began')) throw new Error('The disk is full.');
    };
    const { toolList, orders } = shop();
    const { orchestrator } = converse(BUYS, { toolList, store });
    await refusalOf(orchestrator.run('Buy.'));
    expect(orders).toEqual([]);
  });

  it('keeps both reasons if the run failed anyway', async () => {
    const store = new MemoryStore();
    const turns = [
      () => {
        store.beforeAppend = () => {
          throw new Error('The disk is full.');
        };
        throw new Error('The service is down.');
      },
    ];
    const { orchestrator } = converse(turns, { store });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'STORE_FAILED',
      details: { runError: { code: 'MODEL_REQUEST_FAILED' }, transcript: [{ role: 'user' }] },
    });
  });

  it('ends a run whose conversation others wrote to, and the next run goes on from theirs', async () => {
    const store = new MemoryStore();
    const turns = [
      () => {
        const theirs: ModelMessage[] = [
          { role: 'user', content: says('Theirs.') as [] },
          { role: 'assistant', content: says('Ours.') },
        ];
        store.entries.push({
          type: 'messages',
          runId: 'another',
          from: 0,
          messages: theirs,
          usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
          hasState: false,
        });
        return says('Never kept.');
      },
      says('Yes.'),
    ];
    const { orchestrator } = converse(turns, { store });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'CONVERSATION_CONFLICT',
    });
    await orchestrator.run('Again.');
    expect(texts(orchestrator.messages)).toBe('Theirs.\nOurs.\nAgain.\nYes.');
  });

  it.each([
    ['nothing', null, /its entry 0/],
    ['a text', 'run-began', /its entry 0/],
    ['an unknown type', { type: 'order' }, /its entry 0.*type/s],
    ['a later version', { type: 'run-began', version: 2 }, /version 2.*newer package/],
    [
      'messages that nobody can send',
      {
        type: 'messages',
        runId: 'r',
        from: 0,
        messages: [{ role: 'assistant', content: [{ type: 'text', text: 'First.' }] }],
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
        hasState: false,
      },
      /a request first/,
    ],
    [
      'a gap',
      {
        type: 'messages',
        runId: 'r',
        from: 3,
        messages: [],
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
        hasState: false,
      },
      /from 3 on, and it has 0/,
    ],
  ])('is told what is wrong with what it gives: %s', async (_, value, message) => {
    const store = new MemoryStore([value as ConversationEntry]);
    const { orchestrator, requests } = converse([says('Never.')], { store });
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
        code: 'CONVERSATION_INVALID',
        message: expect.stringMatching(message),
      });
    }
    expect(requests).toEqual([]);
  });
});
