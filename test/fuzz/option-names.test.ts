import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import {
  grown,
  type HostResources,
  readHostResources,
  untilNothingIsLeft,
} from '../security/remains.ts';
import { fixedRuns } from './fixed-runs.ts';
import { expectNoPollution } from './judgements.ts';
import { anyValue, errorOf, makeOptionTakers } from './option-takers.ts';

const { takers, executor, started, absent } = makeOptionTakers();

/** A name as a person mistypes it, or one that objects have for themselves. */
function nameLike(known: readonly string[], isOpen: boolean): fc.Arbitrary<string> {
  const how = fc.constantFrom('drop', 'twice', 'case', 'add');
  const typed = fc
    .tuple(fc.constantFrom(...known), fc.nat({ max: 20 }), how)
    .map(([name, at, change]) => mistyped(name, at % name.length, change));
  if (isOpen) return typed;
  return fc.oneof(
    { weight: 6, arbitrary: typed },
    { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...[
          'constructor',
          'toString',
          'hasOwnProperty',
          'then',
          'toJSON',
          'prototype',
          'length',
          '0',
        ],
      ),
    },
  );
}

function mistyped(name: string, at: number, how: string): string {
  const [before, here, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  if (how === 'drop') return `${before}${after}` || 'x';
  if (how === 'twice') return `${before}${here}${here}${after}`;
  if (how === 'add') return `${name}s`;
  const other = here === here.toLowerCase() ? here.toUpperCase() : here.toLowerCase();
  return `${before}${other}${after}`;
}

describe('options that nobody should pass', () => {
  let before: HostResources;

  beforeAll(async () => {
    before = await readHostResources();
  });

  afterAll(async () => {
    await executor.close();
  });

  it.each(takers)(
    '$what refuses a name that it does not have, and starts nothing',
    async (taker) => {
      const { right, names, isOpen = false, call } = taker;
      const known = [...Object.keys(right), ...names];
      const property = fc.asyncProperty(nameLike(known, isOpen), anyValue, async (name, value) => {
        fc.pre(!known.includes(name));
        const error = await errorOf(() => call({ ...right, [name]: value } as never));
        expect(error).toBeInstanceOf(PtcError);
        expect(error).toMatchObject({
          code: expect.stringMatching(/^(?:OPTION|TOOL)_INVALID$/),
          message: expect.stringMatching(/ has no option \S/),
        });
      });
      await fc.assert(property, fixedRuns(60));
      expect(started.sandboxes).toBe(0);
      expectNoPollution();
    },
  );

  it('leave nothing behind', async () => {
    await executor.closeAllSessions();
    expect(executor.activeSessions).toEqual([]);
    expect(existsSync(absent)).toBe(false);
    await untilNothingIsLeft(async () => grown(before, await readHostResources()));
  });
});
