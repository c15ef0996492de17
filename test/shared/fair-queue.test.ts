import { describe, expect, it } from 'vitest';
import { FairQueue, type Group } from '../../src/shared/async/fair-queue.ts';
import { Semaphore } from '../../src/shared/async/semaphore.ts';

/** A queue of items that begin with the name of their group, such as `a1`. */
function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item, item[0]);
  return queue;
}

function takeAll(queue: FairQueue<string>, mayServe?: (group: Group) => boolean): string[] {
  const taken: string[] = [];
  for (;;) {
    const item = queue.take(mayServe);
    if (item === undefined) return taken;
    taken.push(item);
  }
}

describe('a fair queue', () => {
  it('serves the groups in turn, and the items of a group in order of arrival', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('serves items without a group in order of arrival, in turn with the groups', () => {
    const queue = queueOf('a1', 'a2');
    queue.add('first');
    queue.add('second');
    expect(takeAll(queue)).toEqual(['a1', 'first', 'a2', 'second']);
  });

  it('gives a group that comes later its turn after those that wait, and before their next one', () => {
    const queue = queueOf('a1', 'a2', 'a3');
    expect(queue.take()).toBe('a1');
    queue.add('b1', 'b');
    expect(queue.take()).toBe('a2');
    queue.add('c1', 'c');
    expect(takeAll(queue)).toEqual(['b1', 'a3', 'c1']);
  });

  it('passes over a group that may not be served, which keeps its place', () => {
    const queue = queueOf('a1', 'a2', 'b1', 'b2');
    expect(takeAll(queue, (group) => group !== 'a')).toEqual(['b1', 'b2']);
    expect(queue.size).toBe(2);
    queue.add('b3', 'b');
    expect(takeAll(queue)).toEqual(['a1', 'b3', 'a2']);
  });

  it('forgets an item that is deleted, and a group with its last item', () => {
    const queue = queueOf('a1', 'b1', 'b2');
    queue.delete('a1', 'a');
    queue.delete('b1', 'b');
    queue.delete('b1', 'b');
    queue.delete('x1', 'x');
    expect(queue.size).toBe(1);
    expect(queue.groups).toEqual([['b', 1]]);
    expect(takeAll(queue)).toEqual(['b2']);
    expect(queue.groups).toEqual([]);
  });

  it('knows only the groups that wait, however many there were [host/idle-tenants]', () => {
    const queue = new FairQueue<number>();
    for (let index = 0; index < 10_000; index += 1) {
      queue.add(index, `group ${index}`);
      expect(queue.take()).toBe(index);
    }
    expect(queue.groups).toEqual([]);
  });
});

describe('a semaphore', () => {
  it('serves groups in turn, without those who gave up, and then those that come last', async () => {
    const semaphore = new Semaphore(1);
    expect(semaphore.take()).toBeUndefined();
    const order: string[] = [];
    const giveUp = new AbortController();
    const wait = async (name: string, turn: Promise<boolean> | undefined): Promise<void> => {
      order.push(`${name} ${await turn}`);
    };
    const waits = [
      wait('last', semaphore.takeLast()),
      ...['a1', 'a2', 'b1'].map(async (name) => wait(name, semaphore.take(undefined, name[0]))),
      wait('c', semaphore.take(giveUp.signal, 'c')),
    ];
    giveUp.abort();
    expect(semaphore.load).toBe(5);
    for (let count = 0; count < 5; count += 1) semaphore.release();
    await Promise.all(waits);
    expect(order).toEqual(['c false', 'a1 true', 'b1 true', 'a2 true', 'last true']);
    expect(semaphore.load).toBe(0);
  });
});
