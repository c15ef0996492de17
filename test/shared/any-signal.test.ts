import { getEventListeners, once } from 'node:events';
import { expect, it } from 'vitest';
import { AnySignal } from '../../src/shared/async/any-signal.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

it('fires with the first of its sources, for its reason', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  using any = new AnySignal(one.signal, undefined, two.signal);
  expect(any.signal.aborted).toBe(false);
  two.abort('second');
  one.abort('first');
  expect(any.signal.reason).toBe('second');
});

it('has fired if one of its sources had', () => {
  using any = new AnySignal(new AbortController().signal, AbortSignal.abort('before'));
  expect(any.signal.reason).toBe('before');
});

it('adds one listener to a source that many have, and each of them hears of it', () => {
  const source = new AbortController();
  const many = [new AnySignal(source.signal), new AnySignal(source.signal)];
  const disposed = new AnySignal(source.signal);
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
  disposed[Symbol.dispose]();
  source.abort();
  expect(many.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect(disposed.signal.aborted).toBe(false);
  for (const any of many) any[Symbol.dispose]();
});

it('lets go of its sources when it is disposed of', () => {
  const source = new AbortController();
  const any = new AnySignal(source.signal);
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
  any[Symbol.dispose]();
  expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  source.abort();
  expect(any.signal.aborted).toBe(false);
});

it('fires at a time limit that nothing else refers to, also after memory was cleaned up', async () => {
  using any = new AnySignal(new AbortController().signal, AbortSignal.timeout(50));
  const fired = once(any.signal, 'abort');
  collectGarbage();
  await fired;
  expect(any.signal.reason).toMatchObject({ name: 'TimeoutError' });
});
