import { describe, expect, it } from 'vitest';
import type {
  StoreAppendOptions,
  ConversationEntry,
  StoreLoadOptions,
} from '../../../src/orchestrator/store/conversation-store.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, refusalOf, runs, says } from '../support.ts';
import { BUYS, shop, texts } from './shop.ts';
import { MemoryStore, NEVER, STORES, useDirectories } from './stores.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const ONE = uniqueKey('one');
const FIRST = uniqueKey('first');
const SECOND = uniqueKey('second');

const makeDirectory = useDirectories();
const makeExecutor = useExecutors();

describe.each(STORES)('a conversation in $name', ({ open }) => {
  it('goes on in another orchestrator, which tells the model that its variables are gone', async () => {
    const directory = await makeDirectory();
    const { toolList, orders } = shop();
    const settings = { sessionKey: ONE, toolList };
    const first = converse(BUYS, { ...settings, store: open(directory) });
    await first.orchestrator.run('Buy.');
    const document = first.orchestrator.toJSON();
    await first.orchestrator.close();
    const later = converse([runs('print("kept" in globals())', 'r'), says('Gone.')], {
      ...settings,
      store: open(directory),
    });
    expect(later.orchestrator.messages).toEqual([]);
    await later.orchestrator.load();
    expect(later.orchestrator.toJSON()).toEqual(JSON.parse(JSON.stringify(document)));
    await later.orchestrator.run('Is it there?');
    expect(later.results(1)[0]?.text).toMatch(/^False\n.*variables of earlier programs are gone/s);
    expect(orders).toHaveLength(4);
  });

  it('says what is still running elsewhere, and what was not done when that ended', async () => {
    const store = open(await makeDirectory());
    const { executor } = makeExecutor();
    const begun = createDeferred<void>();
    const go = createDeferred<void>();
    const slow = {
      name: 'slow',
      description: 'Waits.',
      run: async () => {
        begun.resolve();
        await go.promise;
      },
    };
    const settings = { sessionKey: ONE, executor, store, toolList: [slow] };
    const first = converse([runs('await slow()', 'r'), says('Done.')], settings).orchestrator;
    const other = converse([], settings).orchestrator;
    const running = first.run('Wait.');
    await begun.promise;
    expect(await other.load()).toEqual({ isRunning: true });
    expect(JSON.stringify(other.messages)).toContain(
      '[This is still running. The tool calls so far:]',
    );
    // A run of a process that was killed leaves the same entries and holds nothing.
    const entries = (await store.load({ key: ONE, after: 0 })) as readonly ConversationEntry[];
    await store.append({ key: SECOND, entries, after: 0 });
    const hold = await store.hold?.({ key: SECOND, ...NEVER });
    const killed = converse([], { ...settings, sessionKey: SECOND }).orchestrator;
    expect(await killed.load()).toEqual({ isRunning: true });
    await hold?.release();
    expect(await killed.load()).toEqual({ isRunning: false });
    expect(JSON.stringify(killed.messages)).toMatch(/process that ran this ended before it was/);
    go.resolve();
    await running;
    expect(await other.load()).toEqual({ isRunning: false });
    expect(other.messages).toEqual(first.messages);
  });

  it('begins anew in an orchestrator that is there while it is removed', async () => {
    const store = open(await makeDirectory());
    const { executor } = makeExecutor();
    const settings = { sessionKey: ONE, executor, store };
    const { orchestrator } = converse([says('1'), says('2'), says('3')], settings);
    await orchestrator.run('Removed.');
    await store.remove(ONE);
    await orchestrator.run('New.');
    expect(texts(orchestrator.messages)).toBe('New.\n2');

    // Another one has it by now, with more entries than are known here.
    await store.remove(ONE);
    const other = converse([says('a'), says('b')], settings).orchestrator;
    await other.run('Of another.');
    await other.run('And another.');
    await orchestrator.run('Go on.');
    const later = converse([], settings).orchestrator;
    await later.load();
    expect(texts(later.messages)).toBe('Of another.\na\nAnd another.\nb\nGo on.\n3');
    expect(later.messages).toEqual(orchestrator.messages);
  });

  it('that is removed during a run is gone, the run says so, and the next one begins anew', async () => {
    const store = open(await makeDirectory());
    const { executor } = makeExecutor();
    const script = [says('1'), says('2')];
    const { orchestrator } = converse(script, { sessionKey: ONE, executor, store });
    const remove = { prepareTurn: () => store.remove(ONE) };
    const { code } = await refusalOf(orchestrator.run('Removed.', remove));
    expect(code).toBe('CONVERSATION_CONFLICT');
    await orchestrator.run('New.');
    expect(texts(orchestrator.messages)).toBe('New.\n2');
  });

  it('is taken from the store if it is there, otherwise from the options', async () => {
    const directory = await makeDirectory();
    const { executor } = makeExecutor();
    const earlier = converse([says('Earlier.')], { executor }).orchestrator;
    await earlier.run('1');
    for (const [sessionKey, begins] of [
      ['a', { conversation: earlier.toJSON() }],
      ['b', { messages: earlier.messages }],
    ] as const) {
      const settings = { sessionKey, executor, store: open(directory), ...begins };
      const first = converse([says('First.')], settings).orchestrator;
      await first.run('2');
      // As after a restart, with the same options.
      const second = converse([says('Second.')], settings).orchestrator;
      await second.run('3');
      const later = converse([], {
        sessionKey,
        executor,
        store: open(directory),
      }).orchestrator;
      await later.load();
      expect(texts(later.messages)).toBe('1\nEarlier.\n2\nFirst.\n3\nSecond.');
      expect(later.usage).toEqual(second.usage);
    }
  });

  it('has what each of two orchestrators was told', async () => {
    const directory = await makeDirectory();
    const { executor } = makeExecutor();
    const settings = { sessionKey: ONE, executor };
    const turns = (name: string): ReturnType<typeof says>[] => [
      says(`${name} 1`),
      says(`${name} 2`),
    ];
    const a = converse(turns('a'), { ...settings, store: open(directory) });
    const b = converse(turns('b'), { ...settings, store: open(directory) });
    await a.orchestrator.run('1');
    await b.orchestrator.run('2');
    // The second waits for the first.
    await Promise.all([a.orchestrator.run('3'), b.orchestrator.run('4')]);
    await a.orchestrator.load();
    await b.orchestrator.load();
    expect(a.orchestrator.messages).toEqual(b.orchestrator.messages);
    expect(a.orchestrator.usage).toEqual(b.orchestrator.usage);
    expect(texts(a.orchestrator.messages).split('\n').toSorted()).toEqual(
      ['1', '2', '3', '4', 'a 1', 'a 2', 'b 1', 'b 2'].toSorted(),
    );
  });
});

describe('messages that were replaced', () => {
  it('are written down by the next run, as is a conversation that was forgotten', async () => {
    const store = new MemoryStore();
    const { orchestrator } = converse([says('One.'), says('Two.'), says('Three.')], { store });
    await orchestrator.run('1');
    orchestrator.messages = [{ role: 'user', content: [{ type: 'text', text: 'Edited.' }] }];
    await orchestrator.run('2');
    const later = converse([], { store }).orchestrator;
    await later.load();
    expect(texts(later.messages)).toBe('Edited.\n2\nTwo.');
    await orchestrator.resetConversation();
    await later.load();
    expect(later.messages).toEqual([]);
  });

  it.each(['keep', 'discard'] as const)(
    'by none leave no variables that a later process would miss, with onFailure %j',
    async (onFailure) => {
      const store = new MemoryStore();
      const down = (): never => {
        throw new Error('The service is down.');
      };
      const { orchestrator } = converse([runs('x = 1'), down], { store, onFailure });
      await refusalOf(orchestrator.run('Go.'));
      await orchestrator.resetConversation();
      const later = converse([runs('1'), says('Fresh.')], { store });
      await later.orchestrator.run('Go.');
      expect(later.results(1)).toEqual([{ text: '1', isError: false }]);
    },
  );

  it('are dropped with an error if others wrote meanwhile', async () => {
    const store = new MemoryStore();
    const a = converse([says('a')], { store }).orchestrator;
    const b = converse([says('b'), says('c')], { store }).orchestrator;
    await a.run('1');
    b.messages = [{ role: 'user', content: [{ type: 'text', text: 'Edited.' }] }];
    expect(await refusalOf(b.run('2'))).toMatchObject({ code: 'CONVERSATION_CONFLICT' });
    await b.run('2');
    expect(texts(b.messages)).toBe('1\na\n2\nb');
  });

  it('by a fork are those of another key', async () => {
    const entries = new Map<string, MemoryStore>();
    const of = (key: string): MemoryStore => {
      const one = entries.get(key) ?? new MemoryStore();
      entries.set(key, one);
      return one;
    };
    const store = {
      load: (options: StoreLoadOptions) => of(options.key).load(options),
      append: (options: StoreAppendOptions) => of(options.key).append(options),
    };
    const { executor } = makeExecutor();
    const { orchestrator } = converse([says('One.'), says('Two.')], {
      store,
      executor,
      sessionKey: FIRST,
    });
    await orchestrator.run('1');
    const fork = orchestrator.fork({ sessionKey: SECOND });
    await fork.run('2');
    const later = converse([], { store, executor, sessionKey: SECOND }).orchestrator;
    await later.load();
    expect(texts(later.messages)).toBe('1\nOne.\n2\nTwo.');
    await orchestrator.load();
    expect(texts(orchestrator.messages)).toBe('1\nOne.');
  });
});
