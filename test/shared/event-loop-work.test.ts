import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ownLoopTurn,
  countLoopTime,
  countLoopWork,
  isLoopTurnFull,
  timeInLoopTurn,
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

  it('that is small shares a turn, until the turn has no time for more', async () => {
    // However busy the machine is, only the time that is counted passes.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => void vi.restoreAllMocks());
    countLoopWork(MUCH);
    const done: string[] = [];
    const work = async (name: string, durationMs: number): Promise<void> => {
      await timeInLoopTurn();
      // What a piece of work goes on with is done before the next piece.
      await Promise.resolve();
      done.push(name);
      countLoopTime(durationMs);
    };
    const all = Promise.all([work('a', 0), work('b', 0), work('c', 10), work('d', 0)]);
    expect(done).toEqual([]);
    setImmediate(() => done.push('the end of the turn'));
    await all;
    expect(done).toEqual(['a', 'b', 'c', 'the end of the turn', 'd']);
  });

  it('that is large shares its turn with nothing', async () => {
    countLoopWork(MUCH);
    const done: string[] = [];
    const note = (name: string) => () => void done.push(name);
    const all = [timeInLoopTurn(), ownLoopTurn(), timeInLoopTurn()];
    all.forEach((time, index) => void time?.then(note(`work ${index}`)));
    let turn = 0;
    const count = (): void => {
      done.push(`turn ${++turn}`);
      if (turn < 4) setImmediate(count);
    };
    setImmediate(count);
    for (const time of all) await time;
    const [first, large, last] = [0, 1, 2].map((index) => done.indexOf(`work ${index}`));
    const between = (from = 0, to = 0): string[] => done.slice(from + 1, to);
    expect(between(first, large)).toHaveLength(1);
    expect(between(large, last)).toHaveLength(1);
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
