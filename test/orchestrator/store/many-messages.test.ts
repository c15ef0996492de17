import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import type {
  ConversationEntry,
  ConversationStore,
} from '../../../src/orchestrator/store/conversation-store.ts';
import { fileStore } from '../../../src/orchestrator/store/file/file-store.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { converse, refusalOf, says } from '../support.ts';
import { texts } from './shop.ts';
import { ended, MemoryStore, STORES, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

const MEGABYTE = 1024 * 1024;

/** Messages that can be sent, with texts of a length. */
function messages(count: number, length: number): ModelMessage[] {
  return Array.from({ length: count }, (_, index): ModelMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `${index} ${'x'.repeat(length)}` }],
  }));
}

function entryOf(list: readonly ModelMessage[], from = 0): ConversationEntry {
  return { type: 'messages', runId: 'r', from, messages: list, usage: NO_USAGE, hasState: false };
}

const part = (list: readonly ModelMessage[]): ConversationEntry => ({
  type: 'messages-part',
  runId: 'r',
  messages: list,
});

describe('many messages', () => {
  it.each(['one entry', 'many entries'])('in %s are read in several turns', async (kind) => {
    const all = messages(10_000, 10);
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    const readInTurn = new Map<number, Set<number>>();
    const observed = all.map((message, index) =>
      Object.defineProperty({ ...message }, 'role', {
        enumerable: true,
        get: () => {
          const read = readInTurn.get(turn) ?? new Set();
          readInTurn.set(turn, read.add(index));
          return message.role;
        },
      }),
    );
    const entries =
      kind === 'one entry'
        ? [entryOf(observed)]
        : observed.map((message, index) => entryOf([message], index));
    const store: ConversationStore = { load: async () => entries, append: async () => {} };
    const { orchestrator } = converse([], { store });
    // A fast machine could read all of them in the time after which a turn is full.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.01));
    onTestFinished(() => clock.mockRestore());
    setImmediate(count);
    await orchestrator.load();
    isOver = true;
    expect(orchestrator.messages).toHaveLength(all.length);
    const most = Math.max(...[...readInTurn.values()].map(({ size }) => size));
    expect(most).toBeLessThan(all.length);
  });

  it('are written in entries of a bounded size, and read as one list', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    const session = uniqueKey('many');
    const given = messages(4000, 1000);
    const { orchestrator } = converse([says('Yes.')], {
      sessionKey: session,
      store,
      messages: given,
    });
    await orchestrator.run('Go.');
    const [name = ''] = await readdir(directory);
    const lines = (await readFile(path.join(directory, name), 'utf8')).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1.01 * MEGABYTE);
    const later = converse([], { sessionKey: session, store: fileStore({ directory }) });
    await later.orchestrator.load();
    expect(later.orchestrator.messages).toEqual(orchestrator.messages);
    expect(later.orchestrator.messages.slice(0, given.length)).toEqual(given);
  });

  it('of which one alone is larger than an entry should be are written too', async () => {
    const store = new MemoryStore();
    const given = messages(3, 2 * MEGABYTE).slice(0, 2);
    const { orchestrator } = converse([says('Yes.')], { store, messages: given });
    await orchestrator.run('Go.');
    const later = converse([], { store }).orchestrator;
    await later.load();
    expect(later.messages).toEqual(orchestrator.messages);
  });

  it('replace nothing if their process was killed before it had written the last part', async () => {
    const before = messages(4, 1);
    const store = new MemoryStore([entryOf(before), ended('r'), part(messages(2, 50))]);
    const { orchestrator } = converse([says('Again.')], { store });
    await orchestrator.load();
    expect(orchestrator.messages).toEqual(before);
    await orchestrator.run('More.');
    const later = converse([], { store }).orchestrator;
    await later.load();
    expect(later.messages.slice(0, 4)).toEqual(before);
    expect(texts(later.messages.slice(4))).toBe('More.\nAgain.');
  });

  it('of a part are checked like others', async () => {
    const wrong = [{ role: 'user', content: [{ type: 'text', text: 5 }] }];
    const store = new MemoryStore([part(wrong as unknown as ModelMessage[]), entryOf([])]);
    const { orchestrator } = converse([], { store });
    expect(await refusalOf(orchestrator.load())).toMatchObject({
      code: 'CONVERSATION_INVALID',
      message: expect.stringMatching(/its entry 0: messages\[0\]: content\[0\]\.text.*string/),
    });
  });
});

describe.each(STORES)('many entries in $name', ({ open }) => {
  it('are loaded in order, all or those after the known ones', async () => {
    const store = open(await makeDirectory());
    const session = uniqueKey('entries');
    const entries = Array.from({ length: 300 }, (_, index) => ended(`${index}`));
    await store.append({ key: session, entries, after: 0 });
    expect(await store.load({ key: session, after: 0 })).toEqual(entries);
    expect(await store.load({ key: session, after: 150 })).toEqual(entries.slice(150));
    expect(await store.load({ key: session, after: 300 })).toEqual([]);
  });
});
