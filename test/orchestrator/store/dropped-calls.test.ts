import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { uniqueKey } from '../../support/unique-key.ts';
import { converse, says } from '../support.ts';
import { texts } from './shop.ts';
import { entriesWithCalls, NEVER, STORES, useDirectories, type RemovableStore } from './stores.ts';

const makeDirectory = useDirectories();

/** So many that stores drop them. */
const MANY = 1000;

/** How many bytes conversations take. A database keeps the room that they took, and uses it again. */
async function bytesIn(directory: string): Promise<number> {
  const names = await readdir(directory);
  if (names.includes('conversations.db')) {
    const database = new Database(path.join(directory, 'conversations.db'));
    const [row] = database
      .prepare('SELECT SUM(LENGTH(entry)) AS bytes FROM ptc_conversation_entries')
      .all() as { bytes: number }[];
    return row?.bytes ?? 0;
  }
  const sizes = names.map(async (name) => (await stat(path.join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function holdOnce(store: RemovableStore, key: string): Promise<void> {
  await (await store.hold?.({ key, ...NEVER }))?.release();
}

describe.each(STORES)('the calls of a long program in $name', ({ open }) => {
  it('are dropped when the run that holds the conversation ends, and keep their numbers', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    const session = uniqueKey('dropped');
    const entries = entriesWithCalls(MANY);
    await store.append({ key: session, entries, after: 0 });
    const loaded = await store.load({ key: session, after: 0 });
    await holdOnce(store, session);
    for (const one of [store, open(directory)]) {
      expect(await one.load({ key: session, after: 0 })).toEqual(loaded);
      expect(await one.load({ key: session, after: 2 * MANY })).toEqual(loaded.slice(2 * MANY));
      expect(await one.load({ key: session, after: entries.length })).toEqual([]);
    }
    const { orchestrator } = converse([says('Again.')], {
      sessionKey: session,
      store: open(directory),
    });
    await orchestrator.run('More.');
    const later = converse([], { sessionKey: session, store }).orchestrator;
    await later.load();
    expect(texts(later.messages)).toBe('Go.\nDone.\nMore.\nAgain.');
    await store.remove(session);
    expect(await store.load({ key: session, after: 0 })).toEqual([]);
  });

  it('take no room afterwards', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    const session = uniqueKey('room');
    await store.append({ key: session, entries: entriesWithCalls(MANY), after: 0 });
    expect(await bytesIn(directory)).toBeGreaterThan(MANY * 1000);
    await holdOnce(store, session);
    expect(await bytesIn(directory)).toBeLessThan(MANY * 20);
  });

  it('stay while no messages after them say what came of them', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    const session = uniqueKey('open');
    const finished = entriesWithCalls(MANY);
    const unfinished = entriesWithCalls(MANY).slice(0, -2);
    await store.append({ key: session, entries: [...finished, ...unfinished], after: 0 });
    await holdOnce(store, session);
    const loaded = await open(directory).load({ key: session, after: finished.length });
    expect(loaded).toEqual(unfinished);
  });

  it('stay if they are few', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    await store.append({ key: 'few', entries: entriesWithCalls(50), after: 0 });
    const before = await bytesIn(directory);
    await holdOnce(store, 'few');
    expect(await bytesIn(directory)).toBe(before);
  });

  it('are not missed by an orchestrator that had read some of them', async () => {
    const directory = await makeDirectory();
    const session = uniqueKey('read');
    const entries = entriesWithCalls(MANY);
    const writer = open(directory);
    // A line of a compacted file ends at some of these positions too.
    const readers = [];
    for (let read = 1; read <= 12; read += 1) {
      await writer.append({
        key: session,
        entries: entries.slice(read - 1, read),
        after: read - 1,
      });
      const { orchestrator } = converse([], { sessionKey: session, store: open(directory) });
      await orchestrator.load();
      readers.push(orchestrator);
    }
    await writer.append({ key: session, entries: entries.slice(12), after: 12 });
    await holdOnce(writer, session);
    for (const reader of readers) {
      expect(await reader.load()).toEqual({ isRunning: false });
      expect(texts(reader.messages)).toBe('Go.\nDone.');
    }
  });
});
