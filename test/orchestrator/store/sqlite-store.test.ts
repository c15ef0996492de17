import path from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import { refusalOf } from '../support.ts';
import { ended, NEVER, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

describe('the database of sqliteStore', () => {
  it('may be in memory, and have other tables', async () => {
    const database = new Database(':memory:');
    database.exec('CREATE TABLE users (name TEXT)');
    const store = sqliteStore({ database });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    expect(await store.load({ key: 'a', after: 0 })).toEqual([ended('1')]);
    expect(database.prepare('SELECT COUNT(*) AS users FROM users').all()).toEqual([{ users: 0 }]);
  });

  it('is left as it was if an entry cannot be written', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore({ database });
    const cyclic: Record<string, unknown> = { ...ended('2') };
    cyclic['self'] = cyclic;
    const entries = [ended('1'), cyclic as unknown as ConversationEntry];
    await expect(store.append({ key: 'a', entries, after: 0 })).rejects.toThrow(/circular/i);
    expect(await store.load({ key: 'a', after: 0 })).toEqual([]);
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
  });

  it('is left to others between writes, so that two connections can write at the same moment', async () => {
    const file = path.join(await makeDirectory(), 'one.db');
    const database = new Database(file);
    // In this mode a transaction that has read before it writes fails if another wrote in between.
    database.exec('PRAGMA journal_mode = WAL');
    const store = sqliteStore({ database });
    const other = new Database(file);
    const entry = {
      ...ended('1'),
      toJSON: () => {
        try {
          other.exec('PRAGMA busy_timeout = 1; DELETE FROM ptc_conversation_entries');
        } catch {
          // It has to wait.
        }
        return ended('1');
      },
    };
    await store.append({ key: 'a', entries: [entry], after: 0 });
    expect(await store.load({ key: 'a', after: 0 })).toEqual([ended('1')]);
  });

  it.each([
    ['none', 0, 5000],
    ['one of your own', 100, 100],
  ])('waits for another connection that writes, with a limit: %s', (_, own, limit) => {
    const database = new Database(':memory:');
    database.exec(`PRAGMA busy_timeout = ${own}`);
    sqliteStore({ database });
    expect(database.prepare('PRAGMA busy_timeout').all()).toEqual([{ timeout: limit }]);
  });

  it('tells its own error if it undid the transaction itself', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore({ database });
    database.exec(
      "CREATE TRIGGER full BEFORE INSERT ON ptc_conversation_entries BEGIN SELECT RAISE(ROLLBACK, 'No room.'); END",
    );
    await expect(store.append({ key: 'a', entries: [ended('1')], after: 0 })).rejects.toThrow(
      'No room.',
    );
  });

  it('in memory has conversations of its own', async () => {
    const [one, another] = [new Database(':memory:'), new Database(':memory:')];
    const first = await sqliteStore({ database: one }).hold({ key: 'a', ...NEVER });
    const second = sqliteStore({ database: another }).hold({ key: 'a', ...NEVER });
    await expect(second).resolves.toBeDefined();
    await first.release();
    await (await second).release();
  });

  it('is refused if an entry is not JSON', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore({ database });
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    database.exec("INSERT INTO ptc_conversation_entries VALUES ('a', 1, 'no JSON')");
    for (const after of [0, 1]) {
      expect(await refusalOf(store.load({ key: 'a', after }))).toMatchObject({
        code: 'CONVERSATION_INVALID',
        message: expect.stringContaining('its entry 1 is not JSON'),
      });
    }
  });
});
