import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import { fixedRuns } from './fixed-runs.ts';
import { expectNoPollution } from './judgements.ts';
import { anyValue, errorOf, makeOptionTakers, VALUES } from './option-takers.ts';

const { takers, executor } = makeOptionTakers();

describe('values that no option has', () => {
  afterAll(async () => executor.close());

  it.each(takers)(
    '$what takes or refuses a value of any kind, but with no untyped error',
    async (taker) => {
      const { right, names, call } = taker;
      const name = fc.constantFrom(...Object.keys(right), ...names);
      const property = fc.asyncProperty(name, anyValue, async (option, value) => {
        const error = await errorOf(() => call({ ...right, [option]: value } as never));
        expect(error ?? new PtcError('ABORTED', 'none')).toBeInstanceOf(PtcError);
      });
      await fc.assert(property, fixedRuns(100));
      expectNoPollution();
    },
  );

  it('are refused as a whole if they are no object', async () => {
    const others = VALUES.filter((value) => typeof value !== 'object' || value === null);
    for (const { what, call } of takers) {
      for (const value of others) {
        const error = await errorOf(() => call(value as never));
        expect(error, `${what}, ${String(value)}`).toBeInstanceOf(PtcError);
      }
    }
  });
});
