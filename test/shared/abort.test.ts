import { describe, expect, it } from 'vitest';
import { unlessAborted, untilAborted } from '../../src/shared/async/abort.ts';
import { rejectionsDuring } from '../support/unhandled-rejections.ts';

/** Rejects in a later turn of the event loop. */
const laterFailure = async (): Promise<never> => {
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error('It failed later.');
};

describe('work that rejects after its signal has fired', () => {
  it.each([
    { when: 'before it was waited for', isEarly: true },
    { when: 'while it was waited for', isEarly: false },
  ])('$when leaves no rejection without a handler', async ({ isEarly }) => {
    const stop = new AbortController();
    const { signal } = stop;
    if (isEarly) stop.abort();
    const unhandled = await rejectionsDuring(async () => {
      const waiting = untilAborted(laterFailure(), signal);
      const refused = unlessAborted(laterFailure(), signal);
      stop.abort();
      await waiting;
      await expect(refused).rejects.toMatchObject({ code: 'ABORTED' });
    });
    expect(unhandled).toEqual([]);
  });
});

it('work that rejects before its signal fires is heard', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(laterFailure(), signal)).rejects.toThrow('It failed later.');
  await expect(unlessAborted(laterFailure(), signal)).rejects.toThrow('It failed later.');
  await expect(untilAborted(laterFailure(), undefined)).rejects.toThrow('It failed later.');
});
