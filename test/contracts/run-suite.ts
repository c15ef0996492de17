import { afterAll, describe, expect, it } from 'vitest';
import { contractSuite, type ContractSubject } from '../../src/testing/contract-suite.ts';

/** The package's own contract, as whoever writes a provider or a language runs it. */
export function describeSuite(subject: ContractSubject): void {
  const suite = contractSuite(subject);
  describe(`contract suite: ${suite.name}`, () => {
    afterAll(async () => suite.close());
    for (const { group, title, skip, run } of suite.tests) {
      it(`${group}: ${title}`, async (context) => {
        // The reporter prints the reason.
        context.skip(skip !== undefined, skip);
        expect(await run()).toBeUndefined();
      });
    }
  });
}
