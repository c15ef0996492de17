import { appendFile, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/orchestrator/store/file-store.ts';
import { sqliteStore } from '../../../src/orchestrator/store/sqlite-store.ts';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import { refusalOf } from '../support.ts';
import { STORES, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

const NEVER = new AbortController().signal;

const ended = (runId: string): ConversationEntry => ({ type: 'run-ended', runId, timeMs: 1 });

describe.each(STORES)('$name', ({ open }) => {
  it('gives what was added, in order, also to one that is opened later', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    expect(await store.load('a', 0)).toEqual([]);
    await store.append('a', [ended('1'), ended('2')], 0);
    await store.append('b', [ended('of b')], 0);
    await store.append('a', [ended('ü\n\u2028"')], 2);
    const all = [ended('1'), ended('2'), ended('ü\n\u2028"')];
    expect(await store.load('a', 0)).toEqual(all);
    expect(await store.load('a', 2)).toEqual(all.slice(2));
    expect(await store.load('a', 3)).toEqual([]);
    const later = open(directory);
    expect(await later.load('a', 1)).toEqual(all.slice(1));
    await later.append('a', [ended('4')], 3);
    expect(await store.load('a', 3)).toEqual([ended('4')]);
  });

  it('adds nothing for one that has not read what another one wrote', async () => {
    const directory = await makeDirectory();
    const [store, other] = [open(directory), open(directory)];
    await store.append('a', [ended('1')], 0);
    await other.append('a', [ended('2')], 1);
    for (const after of [0, 1, 3]) {
      const error = await refusalOf(store.append('a', [ended('lost')], after));
      expect(error).toMatchObject({ code: 'CONVERSATION_CONFLICT', details: { key: 'a' } });
    }
    expect(await store.load('a', 0)).toEqual([ended('1'), ended('2')]);
  });

  it('takes any text for a key', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    const keys = ['../../up', 'A', 'a', '\0', 'x'.repeat(5000), '💡', '-', '.'];
    for (const key of keys) await store.append(key, [ended(key)], 0);
    for (const key of keys) expect(await open(directory).load(key, 0)).toEqual([ended(key)]);
  });

  it('lets one at a time have a conversation', async () => {
    const directory = await makeDirectory();
    const first = await open(directory).hold?.('a', NEVER);
    const other = await open(directory).hold?.('b', NEVER);
    const order: string[] = [];
    const second = open(directory)
      .hold?.('a', NEVER)
      .then((held) => {
        order.push('second');
        return held;
      });
    order.push('first');
    await first?.release();
    await (await second)?.release();
    await other?.release();
    expect(order).toEqual(['first', 'second']);
  });

  it('stops waiting for a conversation when its signal fires', async () => {
    const directory = await makeDirectory();
    const first = await open(directory).hold?.('a', NEVER);
    const reason = new Error('Enough.');
    const signal = AbortSignal.abort(reason);
    await expect(open(directory).hold?.('a', signal)).rejects.toBe(reason);
    const stop = new AbortController();
    const waiting = open(directory).hold?.('a', stop.signal);
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await first?.release();
  });

  it('removes a conversation and leaves the others', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    await store.append('a', [ended('1')], 0);
    await store.append('b', [ended('1')], 0);
    await store.remove('a');
    expect(await store.load('a', 0)).toEqual([]);
    expect(await store.load('b', 0)).toEqual([ended('1')]);
    await store.append('a', [ended('new')], 0);
    expect(await store.load('a', 0)).toEqual([ended('new')]);
    await store.remove('never there');
  });
});

describe('the files of fileStore', () => {
  const only = async (directory: string): Promise<string> => {
    const [name = ''] = await readdir(directory);
    return path.join(directory, name);
  };

  it('are for their user alone, a line of JSON for each entry after one with the key', async () => {
    const directory = path.join(await makeDirectory(), 'new', 'one');
    await fileStore({ directory }).append('a', [ended('1')], 0);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    const file = await only(directory);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe(
      `{"conversation":"a"}\n${JSON.stringify(ended('1'))}\n`,
    );
  });

  it.each(['{"type":"run-en', '{'])(
    'lose only the line that a killed process was writing: %j',
    async (torn) => {
      const directory = await makeDirectory();
      const store = fileStore({ directory });
      await store.append('a', [ended('1')], 0);
      await appendFile(await only(directory), torn);
      const later = fileStore({ directory });
      expect(await later.load('a', 0)).toEqual([ended('1')]);
      await later.append('a', [ended('2')], 1);
      expect(await fileStore({ directory }).load('a', 0)).toEqual([ended('1'), ended('2')]);
    },
  );

  it('go on after a process that was killed while it wrote the first line', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append('a', [ended('1')], 0);
    await writeFile(await only(directory), '{"conver');
    expect(await fileStore({ directory }).load('a', 0)).toEqual([]);
    await fileStore({ directory }).append('a', [ended('2')], 0);
    expect(await fileStore({ directory }).load('a', 0)).toEqual([ended('2')]);
  });

  it('are not followed if they are links, nor taken if a line is not JSON', async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    await store.append('a', [ended('1')], 0);
    await appendFile(await only(directory), 'no JSON\n');
    expect(await refusalOf(fileStore({ directory }).load('a', 0))).toMatchObject({
      code: 'CONVERSATION_INVALID',
      message: expect.stringMatching(/entry 1 .*is not JSON/),
    });
    const linked = path.join(await makeDirectory(), 'linked');
    await fileStore({ directory: linked }).append('a', [], 0);
    const file = await only(linked);
    await store.remove('a');
    await rm(file);
    await symlink('/etc/passwd', file);
    await expect(fileStore({ directory: linked }).load('a', 0)).rejects.toThrow(/ELOOP/);
    await expect(fileStore({ directory: linked }).append('a', [], 0)).rejects.toThrow(/ELOOP/);
  });

  it('are left as they are if something else is in them', async () => {
    const directory = await makeDirectory();
    await fileStore({ directory }).append('a', [ended('1')], 0);
    const file = await only(directory);
    await writeFile(file, 'notes\nwithout an end of line');
    const store = fileStore({ directory });
    const refused = { code: 'CONVERSATION_INVALID', message: expect.stringMatching(/begin with/) };
    expect(await refusalOf(store.load('a', 0))).toMatchObject(refused);
    expect(await refusalOf(store.append('a', [ended('2')], 0))).toMatchObject(refused);
    expect(await readFile(file, 'utf8')).toBe('notes\nwithout an end of line');
  });

  it('need a directory', () => {
    expect(() => fileStore({ directory: '' })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
  });
});

describe('the database of sqliteStore', () => {
  it('may be in memory, and have other tables', async () => {
    const database = new Database(':memory:');
    database.exec('CREATE TABLE users (name TEXT)');
    const store = sqliteStore({ database });
    await store.append('a', [ended('1')], 0);
    expect(await store.load('a', 0)).toEqual([ended('1')]);
    expect(database.prepare('SELECT COUNT(*) AS users FROM users').all()).toEqual([{ users: 0 }]);
  });

  it('is left as it was if an entry cannot be written', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore({ database });
    const cyclic: Record<string, unknown> = { ...ended('2') };
    cyclic['self'] = cyclic;
    const entries = [ended('1'), cyclic as unknown as ConversationEntry];
    await expect(store.append('a', entries, 0)).rejects.toThrow(/circular/i);
    expect(await store.load('a', 0)).toEqual([]);
    await store.append('a', [ended('1')], 0);
  });
});
