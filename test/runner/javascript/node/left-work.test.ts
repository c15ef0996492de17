import { Socket } from 'node:net';
import { expect, it } from 'vitest';

interface LeftWork {
  wait: (callback: () => void) => void;
  forget: () => void;
  onIdle: () => void;
}

const file = new URL('../../../../runner/javascript/node/left-work.mjs', import.meta.url).href;
const { LeftWork } = (await import(file)) as {
  LeftWork: new (supervisor: Socket, awaitLine: (isAwaited: boolean) => void) => LeftWork;
};

it('does not tell the end of a program that has forged it, once the next program runs', () => {
  const awaited: boolean[] = [];
  const told: string[] = [];
  const work = new LeftWork(new Socket(), (isAwaited) => awaited.push(isAwaited));
  work.wait(() => told.push('first'));
  expect([told, awaited]).toEqual([[], [false]]);
  work.forget();
  work.onIdle();
  expect([told, awaited]).toEqual([[], [false]]);
  work.wait(() => told.push('second'));
  work.onIdle();
  expect([told, awaited]).toEqual([['second'], [false, false, true]]);
});
