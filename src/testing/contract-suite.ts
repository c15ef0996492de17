/**
 * Tests that every sandbox must pass, for your own provider, image or language.
 * @module sandboxed-ptc/testing
 */
import { checkOptionNames, type OptionsObject } from '../shared/option-names.ts';
import { testGroups } from './groups/groups.ts';
import { suiteOf, type ContractSubject, type ContractSuite } from './suite.ts';

export { FEATURES, type Feature, type Gaps } from './features.ts';
export type {
  AbsentProgram,
  ContractProgram,
  ContractPrograms,
} from './programs/contract-programs.ts';
export { PROGRAMS, type ProgramId } from './programs/program-ids.ts';
export { programsOf } from './programs/programs.ts';
export type { ContractSubject, ContractSuite, ContractTest } from './suite.ts';

/** @internal Exported for tests. */
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
 * @throws PtcError `OPTION_INVALID` if the subject has a name that `ContractSubject` does not have, if `cannot` names an unknown feature or gives no reason, or if `programs` lacks a program
 * or has one that no test runs.
 */
export function contractSuite(subject: ContractSubject): ContractSuite {
  checkOptionNames(subject, SUBJECT);
  return suiteOf(subject, testGroups(subject.language, subject.kill));
}
