import { afterAll, describe, it } from 'vitest';
import type { ContractSuite } from '../../src/testing/index.ts';
import { IN_ALL_COMBINATIONS } from './scope.ts';
import { skippedFor } from './skipped.ts';

/** Which groups of a suite run unless all combinations are tested. */
export interface Choice {
  /** @default all */
  readonly groups?: readonly string[];
  /** @default none */
  readonly except?: readonly string[];
  /** What tests the other groups. */
  readonly coveredBy: string;
}

/** Runs the tests of a suite, as the author of a provider does. */
export function describeSuite(heading: string, suite: ContractSuite, choice?: Choice): void {
  describe(`${heading}: ${suite.name}`, () => {
    afterAll(async () => suite.close());
    for (const { group, title, skip, run } of suite.tests) {
      // The tests use `node:assert`, so that they work with any test framework.
      // oxlint-disable-next-line vitest/expect-expect
      it(`${group}: ${title}`, skippedFor(skip ?? leftOut(group, choice)), run);
    }
  });
}

/** Why a group does not run here; undefined if it does. */
function leftOut(group: string, choice: Choice | undefined): string | undefined {
  if (IN_ALL_COMBINATIONS || choice === undefined) return undefined;
  const { groups, except = [] } = choice;
  if (groups?.includes(group) !== false && !except.includes(group)) return undefined;
  return `only npm run test:all tests it here; it is covered by ${choice.coveredBy}`;
}
