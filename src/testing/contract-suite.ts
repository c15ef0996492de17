import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { testGroups } from './groups/groups.ts';
import { suiteOf, type ContractSubject, type ContractSuite } from './suite.ts';

export const SUBJECT: OptionsObject<ContractSubject> = {
  of: 'contractSuite',
  names: {
    name: 'text',
    language: 'text',
    provider: 'function',
    kill: 'function',
    cannot: 'plain',
    programs: 'plain',
  },
  page: 'docs/testing.md',
  required: ['name', 'language', 'provider'],
  otherWords: { gaps: 'cannot', create: 'provider' },
};

/**
 * Makes the tests that each provider must pass, for any test framework.
 * @throws PtcError `OPTION_INVALID` if the subject has a name that `ContractSubject` does not have, if `cannot` names an unknown feature or gives no reason, or if `programs` lacks a program,
 * has one that no test runs, or has a value that is not a program.
 */
export function contractSuite(subject: ContractSubject): ContractSuite {
  checkOptionNames(subject, SUBJECT);
  return suiteOf(subject, testGroups(subject.language, subject.kill));
}
