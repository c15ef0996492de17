import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownTurn, spendInTurn, turnIsFull } from '../../src/shared/turn-work.ts';

const MUCH = 1_000_000;

describe('work that takes the event loop long', () => {
  beforeEach(async () => nextTurn());

  it('fills a turn, and leaves the next one free', async () => {
    expect(turnIsFull()).toBe(false);
    spendInTurn(MUCH);
    expect(turnIsFull()).toBe(true);
    await nextTurn();
    await nextTurn();
    expect(turnIsFull()).toBe(false);
  });

  it('that is small fills none, however often it is done', () => {
    for (let count = 0; count < 1000; count += 1) spendInTurn(1000);
    expect(turnIsFull()).toBe(false);
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
        await ownTurn();
        done.push([index, turn]);
      }),
    );
    isOver = true;
    expect(done.map(([index]) => index)).toEqual([0, 1, 2, 3]);
    expect(new Set(done.map(([, at]) => at)).size).toBe(4);
  });

  it('waits while others wait', async () => {
    const first = ownTurn();
    expect(turnIsFull()).toBe(true);
    await first;
  });
});
