import { afterAll, describe, it } from 'vitest';
import { contractSuite, type ContractSubject } from '../../src/testing/contract-suite.ts';
import { IN_ALL_COMBINATIONS } from '../support/scope.ts';
import { skippedFor } from '../support/skipped.ts';

/** Which groups of a suite run unless all combinations are tested. */
export interface Choice {
  /** @default all */
  readonly groups?: readonly string[];
  /** @default none */
  readonly except?: readonly string[];
  /** What tests the other groups. */
  readonly coveredBy: string;
}

/** What depends on where a runner is: how it starts, its streams, its limits, and how it ends. */
export const DECIDED_BY_THE_SANDBOX: readonly string[] = [
  'programs',
  'output',
  'output limits',
  'limits',
  'ends',
  'isolation',
];

/** Runs the contract tests, as the author of a provider does. */
export function describeSuite(subject: ContractSubject, choice?: Choice): void {
  const suite = contractSuite(subject);
  describe(`contract suite: ${suite.name}`, () => {
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
