import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import {
  grown,
  type HostResources,
  readHostResources,
  untilNothingIsLeft,
} from '../security/remains.ts';
import { TARGETS } from '../shared/options/targets.ts';
import { fixedRuns } from './fixed-runs.ts';
import { expectNoPollution } from './judgements.ts';

/** They can have members of their own, so that only misspelt names are refused. */
const OPEN: ReadonlySet<string> = new Set(['Tool "a"', 'approve']);

const anyValue = fc.constantFrom<unknown[]>(null, true, -1, 'text', [], {}, () => 1, 1n);

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

describe('names that no option has', () => {
  let before: HostResources;

  beforeAll(async () => {
    before = await readHostResources();
  });

  it.each(Object.entries(TARGETS))(
    'are refused by %s, which starts nothing',
    async (of, { names, base = {}, call }) => {
      const known = Object.keys(names);
      const name = nameLike(known, OPEN.has(of));
      const property = fc.asyncProperty(name, anyValue, async (option, value) => {
        fc.pre(!known.includes(option));
        const refused = (async () => call({ ...base, [option]: value } as never))();
        await expect(refused).rejects.toBeInstanceOf(PtcError);
        await expect(refused).rejects.toMatchObject({
          code: expect.stringMatching(/_INVALID$/),
          message: expect.stringMatching(/ has no option \S/),
        });
      });
      await fc.assert(property, fixedRuns(40));
      expectNoPollution();
    },
  );

  afterAll(async () => {
    await untilNothingIsLeft(async () => grown(before, await readHostResources()));
  });
});
