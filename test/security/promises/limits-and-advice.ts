import { programs, tests } from '../cases/security-case.ts';
import { note, shown, WITH_SUPERVISOR, type SecurityPromise } from './security-promise.ts';

/** What is not promised, and the sections of advice at the end. */
export const LIMITS_AND_ADVICE: readonly SecurityPromise[] = [
  note('Protection against flaws of the Linux kernel', 'it says what is not promised'),
  note('Protection against your tools:', 'it says what is not promised'),
  note('Protection against what the model does', 'it says what is not promised'),
  note('Give each tool the least rights', 'it is advice for users'),
  shown(
    'True statements: a program can lie',
    programs('protocol/55-forged-report', 'protocol/57-patched-json'),
    WITH_SUPERVISOR,
  ),
  note('Isolation between the programs of one session', 'it says what is not promised'),
  note('Use gVisor:', 'it is advice for users'),
  note('Use a rootless engine', 'it is advice for users'),
  note('Use one machine, or one virtual machine', 'it is advice for users'),
  note('`npm run security:report` runs', 'it says what a command does'),
  note('It prints what came of each and what it cost', 'it says what a command does'),
  note('[docs/security-report.md]', 'it points to a document'),
  shown('`test/security/cases.ts` lists each case', [
    ...tests(
      'security/cases.test.ts',
      'has each planned case once, and further ones after them',
      'says what proves case $case: $title',
    ),
  ]),
  note('Write to the maintainers in private', 'advice to whoever finds a flaw'),
];
