import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  ownLoopTurn,
  countLoopTime,
  countLoopWork,
  isLoopTurnFull,
} from '../../src/shared/async/event-loop-work.ts';

const MUCH = 1_000_000;

describe('work that takes the event loop long', () => {
  beforeEach(async () => nextTurn());

  it('fills a turn, and leaves the next one free', async () => {
    expect(isLoopTurnFull()).toBe(false);
    countLoopWork(MUCH);
    expect(isLoopTurnFull()).toBe(true);
    await nextTurn();
    await nextTurn();
    expect(isLoopTurnFull()).toBe(false);
  });

  it('that is small fills none, however often it is done', () => {
    for (let count = 0; count < 1000; count += 1) countLoopWork(1000);
    expect(isLoopTurnFull()).toBe(false);
  });

  it('fills a turn by its time too', async () => {
    countLoopTime(4);
    expect(isLoopTurnFull()).toBe(false);
    countLoopTime(4);
    expect(isLoopTurnFull()).toBe(true);
    await nextTurn();
    await nextTurn();
    expect(isLoopTurnFull()).toBe(false);
  });

  it('counts towards a turn of its own', async () => {
    await ownLoopTurn();
    countLoopTime(10);
    expect(isLoopTurnFull()).toBe(true);
  });

  it('gets a turn of its own, in the order in which it was asked for', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const done: [number, number][] = [];
    await Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        await ownLoopTurn();
        done.push([index, turn]);
      }),
    );
    isOver = true;
    expect(done.map(([index]) => index)).toEqual([0, 1, 2, 3]);
    expect(new Set(done.map(([, at]) => at)).size).toBe(4);
  });

  it('gets a turn by group, however much another group waits for', async () => {
    const done: string[] = [];
    await Promise.all(
      ['a1', 'a2', 'a3', 'b1', 'b2'].map(async (name) => {
        await ownLoopTurn(name[0]);
        done.push(name);
      }),
    );
    expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('waits while others wait', async () => {
    const first = ownLoopTurn();
    expect(isLoopTurnFull()).toBe(true);
    await first;
  });
});
