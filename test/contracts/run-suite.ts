import { afterAll, describe, it } from 'vitest';
import { contractSuite, type ContractSubject } from '../../src/testing/contract-suite.ts';
import { skippedFor } from '../support/skipped.ts';

/** The package's own contract, as whoever writes a provider or a language runs it. */
export function describeSuite(subject: ContractSubject): void {
  const suite = contractSuite(subject);
  describe(`contract suite: ${suite.name}`, () => {
    afterAll(async () => suite.close());
    for (const { group, title, skip, run } of suite.tests) {
      // It asserts with Node's own `assert`, as in any test framework.
      // oxlint-disable-next-line vitest/expect-expect
      it(`${group}: ${title}`, skippedFor(skip), run);
    }
  });
}
