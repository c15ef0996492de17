import type { ContractSubject } from '../../src/testing/index.ts';
import { suiteOf } from '../../src/testing/suite.ts';
import type { TestGroup } from '../../src/testing/test-definition.ts';
import { describeSuite, type Choice } from '../support/describe-suite.ts';

/** Runs tests of the guest for the language of a subject. */
export function describeGuest(
  subject: ContractSubject,
  groups: readonly TestGroup[],
  choice?: Choice,
): void {
  describeSuite('guest', suiteOf(subject, groups), choice);
}
