import { afterAll, describe, it } from 'vitest';
import { contractSuite, type ContractSubject } from '../../src/testing/contract-suite.ts';
import { skippedFor } from '../support/skipped.ts';

/** Runs the contract tests, as the author of a provider does. */
export function describeSuite(subject: ContractSubject): void {
  const suite = contractSuite(subject);
  describe(`contract suite: ${suite.name}`, () => {
    afterAll(async () => suite.close());
    for (const { group, title, skip, run } of suite.tests) {
      // The tests use `node:assert`, so that they work with any test framework.
      // oxlint-disable-next-line vitest/expect-expect
      it(`${group}: ${title}`, skippedFor(skip), run);
    }
  });
}
