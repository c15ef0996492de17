import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { checkMessages } from '../../../src/orchestrator/conversation/conversation-document.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { PtcError } from '../../../src/shared/errors.ts';
import { converse, refusalOf, runs, says } from '../support.ts';
import { BUYS, shop, texts, wholeRun } from './shop.ts';
import { MemoryStore } from './stores.ts';

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/** An entry of messages. */
function step(changes: object): object {
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  return {
    type: 'messages',
    runId: 'r',
    from: 0,
    messages: [],
    usage,
    hasState: false,
    ...changes,
  };
}

describe('a store that fails', () => {
  it.each([
    ['adds nothing', false],
    ['has added it all the same', true],
  ])('and %s ends the run, and the next run writes down what was missed', async (_, adds) => {
    const whole = await wholeRun();
    for (let failing = 0; failing < whole.length; failing += 1) {
      const store = new MemoryStore();
      let appends = 0;
      let left: readonly ConversationEntry[] = [];
      const cause = new Error('The disk is full');
      store.beforeAppend = (entries) => {
        if (appends++ !== failing) return;
        if (adds) store.entries.push(...structuredClone(entries));
        left = [...store.entries];
        throw cause;
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
        message: expect.stringContaining('down: The disk is full. Fix'),
      });
      // What came after a gap could mean something else.
      expect(store.entries).toEqual(left);
      expect(rootOf(error)).toBe(cause);
      // It is told once.
      expect((error as PtcError).details).not.toHaveProperty('runError');
      const began = store.entries.filter(({ type }) => type === 'tool-call-started');
      expect(orders.length).toBeLessThanOrEqual(began.length);
      await orchestrator.run('And now?');
      const later = converse([], { store }).orchestrator;
      await later.load();
      expect(later.messages).toEqual(JSON.parse(JSON.stringify(orchestrator.messages)));
      checkMessages(later.messages);
    }
  });

  it('ends a program whose call could not be written down', async () => {
    const store = new MemoryStore();
    store.beforeAppend = (entries) => {
      if (entries.some(({ type }) => type === 'tool-call-started'))
        throw new Error('The disk is full.');
    };
    const { toolList } = shop();
    const code =
      'import asyncio\ntry: await order("desk")\nexcept ToolError: await asyncio.Event().wait()';
    const { orchestrator } = converse([runs(code)], { toolList, store });
    const statuses: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'program-ended') statuses.push(event.result?.status ?? 'none');
    };
    expect((await refusalOf(orchestrator.run('Buy.', { onEvent }))).code).toBe('STORE_FAILED');
    expect(statuses).toEqual(['cancelled']);
  });

  it('gets no calls that waited while it failed, and none of them is made', async () => {
    const store = new MemoryStore();
    const allAsked = createDeferred<void>();
    let calls = 0;
    let hasFailed = false;
    store.beforeAppend = async (entries) => {
      if (hasFailed || !entries.some(({ type }) => type === 'tool-call-started')) return;
      await allAsked.promise;
      hasFailed = true;
      throw new Error('The disk is full.');
    };
    const { toolList, orders } = shop();
    const code = 'import asyncio\nawait asyncio.gather(order("desk"), order("lamp"))';
    const { orchestrator } = converse([runs(code)], { toolList, store });
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'tool-call-started' && ++calls === 2) setImmediate(() => allAsked.resolve());
    };
    await refusalOf(orchestrator.run('Buy.', { onEvent }));
    expect(store.entries.map(({ type }) => type)).toEqual(['run-started', 'messages', 'messages']);
    expect(orders).toEqual([]);
  });

  it('to read or to hold a conversation says so', async () => {
    const cause = new Error('The disk is gone');
    const fails = async (): Promise<never> => {
      throw cause;
    };
    for (const [method, what] of [
      ['load', 'read'],
      ['hold', 'hold'],
    ] as const) {
      const store = Object.assign(new MemoryStore(), { [method]: fails });
      const { orchestrator } = converse([says('Never.')], { store });
      expect(await refusalOf(orchestrator.run('Buy.'))).toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringContaining(`could not ${what} this conversation: The disk is gone. `),
        cause,
      });
    }
  });

  it('is told in the events of the run, which has begun for its listener', async () => {
    const store = new MemoryStore();
    store.load = () => Promise.reject(new Error('The disk is gone.'));
    const { orchestrator } = converse([says('Never.')], { store });
    const events: unknown[] = [];
    const onEvent = ({ type }: { readonly type: string }): number => events.push(type);
    await refusalOf(orchestrator.run('Buy.', { onEvent }));
    expect(events).toEqual(['run-started', 'run-failed']);
  });

  it('has no tool run whose call could not be written down', async () => {
    const store = new MemoryStore();
    store.beforeAppend = (entries) => {
      if (entries.some(({ type }) => type === 'tool-call-started'))
        throw new Error('The disk is full.');
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
    ['a text', 'run-started', /its entry 0/],
    ['an unknown type', { type: 'order' }, /its entry 0.*type/s],
    ['a beginning of no run', { type: 'run-started', version: 1, occurredAtMs: 1 }, /runId/],
    ['a call of no answer', { type: 'tool-call-started', runId: 'r', callId: 'c' }, /toolUseId/],
    [
      'the end of a call with a wrong error',
      { type: 'tool-call-ended', runId: 'r', toolUseId: 'u', callId: 'c', error: 'It failed.' },
      /error/,
    ],
    ['the end of a run at no time', { type: 'run-ended', runId: 'r' }, /occurredAtMs/],
    ['a later version', { type: 'run-started', version: 2 }, /is 2,.*update the package/],
    [
      'messages that nobody can send',
      step({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'First.' }] }] }),
      /user first/,
    ],
    [
      'a text that is none',
      step({ messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }),
      /content\[0\]\.text.*string/,
    ],
    ['messages from before the first', step({ from: -1 }), /from/],
    ['counts that are none', step({ usage: { inputTokens: 'many' } }), /usage/],
    ['a gap', step({ from: 3 }), /index 3 on, but it has only 0/],
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

  it.each([[undefined], [null], [{}], ['[]']])(
    'is told that it must give a list, not %j',
    async (value) => {
      const store = Object.assign(new MemoryStore(), { load: async () => value });
      const { orchestrator, requests } = converse([says('Never.')], { store });
      for (const read of [() => orchestrator.load(), () => orchestrator.run('Go.')]) {
        expect(await refusalOf(read())).toMatchObject({
          code: 'CONVERSATION_INVALID',
          message: expect.stringMatching(/of its store gave .*, not a list of entries/),
        });
      }
      expect(requests).toEqual([]);
    },
  );

  it('is told which entry is wrong, of all that it gave', async () => {
    const store = new MemoryStore();
    const { orchestrator } = converse([says('Yes.')], { store });
    await orchestrator.run('Go.');
    const index = store.entries.push({ type: 'order' } as unknown as ConversationEntry) - 1;
    const { message } = await refusalOf(orchestrator.load());
    expect(message).toContain(`its entry ${index}: `);
  });

  it('and cannot release its hold leaves a reset done, with a warning', async () => {
    let isBroken = false;
    const release = async (): Promise<void> => {
      if (isBroken) throw new Error('The connection is gone.');
    };
    const store = Object.assign(new MemoryStore(), { hold: async () => ({ release }) });
    const { orchestrator } = converse([says('Hello.')], { store });
    await orchestrator.run('Hi.');
    isBroken = true;
    const warned = once(process, 'warning');
    await orchestrator.resetConversation();
    expect(orchestrator.messages).toEqual([]);
    expect((await warned)[0]).toMatchObject({
      message: expect.stringContaining('The connection is gone.'),
    });
  });
});
