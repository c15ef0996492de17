import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/models/token-usage.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import type { SqliteDatabase } from '../../../src/orchestrator/store/sqlite-database.ts';
import { sqliteStore, type SqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';
import { NEVER } from './stores.ts';

const KEY = 'a';
/** As long as an entry with an image. */
const LONG = 300_000;

function entryOf(index: number, length: number): ConversationEntry {
  const text = `${index} ${'x'.repeat(length)}`;
  const messages = [{ role: 'user', content: [{ type: 'text', text }] }] as const;
  return { type: 'messages', runId: 'r', from: 0, messages, usage: NO_USAGE, hasState: false };
}

/** A store, and how many characters of entries its longest query has read since the last look. */
async function makeStore(lengths: readonly number[]): Promise<{
  readonly store: SqliteStore;
  readonly entries: readonly ConversationEntry[];
  readonly longestQuery: () => number;
}> {
  let longest = 0;
  const database: SqliteDatabase = new Database(':memory:');
  const entries = lengths.map((length, index) => entryOf(index, length));
  const sizes = entries.map((entry) => JSON.stringify(entry).length);
  const sizeOf = (from: number, end: number): number =>
    sizes.slice(from, end).reduce((sum, size) => sum + size, 0);
  const store = sqliteStore({
    database: {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          run: (...parameters) => statement.run(...parameters),
          all: (...parameters: unknown[]) => {
            const rows = statement.all(...parameters) as readonly { readonly entry?: string }[];
            const returned = rows.reduce((sum, { entry = '' }) => sum + entry.length, 0);
            // It reads the entries whose positions it compares.
            const [, from, end] = parameters;
            const isRange = sql.includes('position >= ? AND position < ?');
            const looked = isRange ? sizeOf(Number(from), Number(end)) : 0;
            longest = Math.max(longest, returned, looked);
            return rows;
          },
        };
      },
    },
  });
  await store.append({ key: KEY, entries, after: 0 });
  return {
    store,
    entries,
    longestQuery: () => {
      const size = longest;
      longest = 0;
      return size;
    },
  };
}

describe('a conversation in SQLite with long entries', () => {
  it.each([
    ['alone', Array.from({ length: 60 }, () => LONG)],
    ['after many short ones', Array.from({ length: 200 }, (_, index) => (index < 150 ? 1 : LONG))],
    ['between short ones', Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? LONG : 1))],
  ])('%s is read in steps, each of which holds the event loop for a short time', async (_, all) => {
    const { store, entries, longestQuery } = await makeStore(all);
    expect(await store.load({ key: KEY, after: 0 })).toEqual(entries);
    expect(longestQuery()).toBeLessThan(17 * LONG);
    expect(await store.load({ key: KEY, after: entries.length - 3 })).toEqual(entries.slice(-3));
  });

  it('is searched in such steps for calls that can be dropped when a run has ended', async () => {
    const { store, longestQuery } = await makeStore(Array.from({ length: 60 }, () => LONG));
    longestQuery();
    const hold = await store.hold({ key: KEY, ...NEVER });
    await hold.release();
    expect(longestQuery()).toBeLessThan(5 * LONG);
  });
});
