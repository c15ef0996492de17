import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support.ts';
import { ended, NEVER, orderOfHolders, STORES, useDirectories } from './stores.ts';

const makeDirectory = useDirectories();

describe.each(STORES)('$name', ({ open }) => {
  it('gives what was added, in order, also to one that is opened later', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    expect(await store.load({ key: 'a', after: 0 })).toEqual([]);
    await store.append({ key: 'a', entries: [ended('1'), ended('2')], after: 0 });
    await store.append({ key: 'b', entries: [ended('of b')], after: 0 });
    await store.append({ key: 'a', entries: [ended('ü\n\u2028"')], after: 2 });
    const all = [ended('1'), ended('2'), ended('ü\n\u2028"')];
    expect(await store.load({ key: 'a', after: 0 })).toEqual(all);
    expect(await store.load({ key: 'a', after: 2 })).toEqual(all.slice(2));
    expect(await store.load({ key: 'a', after: 3 })).toEqual([]);
    const later = open(directory);
    expect(await later.load({ key: 'a', after: 1 })).toEqual(all.slice(1));
    await later.append({ key: 'a', entries: [ended('4')], after: 3 });
    expect(await store.load({ key: 'a', after: 3 })).toEqual([ended('4')]);
  });

  it('adds nothing for a writer that has not read the entries of another one', async () => {
    const directory = await makeDirectory();
    const [store, other] = [open(directory), open(directory)];
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    await other.append({ key: 'a', entries: [ended('2')], after: 1 });
    for (const after of [0, 1, 3]) {
      const error = await refusalOf(store.append({ key: 'a', entries: [ended('lost')], after }));
      expect(error).toMatchObject({
        code: 'CONVERSATION_CONFLICT',
        message: expect.stringContaining('The conversation "a" was changed elsewhere'),
        details: { key: 'a' },
      });
    }
    expect(await store.load({ key: 'a', after: 0 })).toEqual([ended('1'), ended('2')]);
  });

  it('takes any text for a key', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    const keys = ['../../up', 'A', 'a', '\0', 'x'.repeat(5000), '💡', '-', '.'];
    for (const key of keys) await store.append({ key, entries: [ended(key)], after: 0 });
    for (const key of keys)
      expect(await open(directory).load({ key, after: 0 })).toEqual([ended(key)]);
  });

  it('lets one at a time have a conversation', async () => {
    const directory = await makeDirectory();
    const order = await orderOfHolders(open(directory), open(directory));
    expect(order).toEqual(['released', 'taken']);
  });

  it('lets each conversation be held separately, as in another directory', async () => {
    const directory = await makeDirectory();
    const held = [
      await open(directory).hold({ key: 'a', ...NEVER }),
      await open(directory).hold({ key: 'b', ...NEVER }),
      await open(await makeDirectory()).hold({ key: 'a', ...NEVER }),
    ];
    expect(held).toHaveLength(3);
    for (const one of held) await one?.release();
  });

  it('stops waiting for a conversation when its signal fires', async () => {
    const directory = await makeDirectory();
    const first = await open(directory).hold({ key: 'a', ...NEVER });
    const reason = new Error('Enough.');
    const signal = AbortSignal.abort(reason);
    await expect(open(directory).hold({ key: 'a', signal })).rejects.toBe(reason);
    const stop = new AbortController();
    const waiting = open(directory).hold({ key: 'a', signal: stop.signal });
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await first?.release();
  });

  it('removes a conversation and leaves the others', async () => {
    const directory = await makeDirectory();
    const store = open(directory);
    await store.append({ key: 'a', entries: [ended('1')], after: 0 });
    await store.append({ key: 'b', entries: [ended('1')], after: 0 });
    await store.remove('a');
    expect(await store.load({ key: 'a', after: 0 })).toEqual([]);
    expect(await store.load({ key: 'b', after: 0 })).toEqual([ended('1')]);
    await store.append({ key: 'a', entries: [ended('new')], after: 0 });
    expect(await store.load({ key: 'a', after: 0 })).toEqual([ended('new')]);
    await store.remove('never there');
  });
});
