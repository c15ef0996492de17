import { programs, tests } from '../cases/security-case.ts';
import { note, shown, WITH_SUPERVISOR, type SecurityPromise } from './security-promise.ts';

/** The threat model, what is not promised, and advice. */
export const LIMITS_AND_ADVICE: readonly SecurityPromise[] = [
  note('a program, and the author of any text', 'it defines the attacker'),
  shown('The host does not trust any part of the sandbox', [
    ...tests(
      'security/hostile-runner.test.ts',
      'I5: end for good if they break the protocol',
      'I7: cannot change a fact that the host knows itself',
    ),
  ]),
  note('the host process, its machine, the other sandboxes', 'it defines what is protected'),
  note('your tools, your policy, the Linux kernel', 'it defines what is trusted'),
  note('an attacker who knows a flaw of the Linux kernel', 'it says what is not promised'),
  note('nothing here prevents them', 'it says what is not promised'),
  note('a program can see how much the whole machine works', 'it says what is not promised'),
  note('Programs in two sandboxes can exchange data by it.', 'it says what is not promised'),
  note('Libraries need most of these numbers', 'it gives the reason for the weakness'),
  note('Those of the network are in a', 'it gives the reason for the weakness'),
  shown(
    '`/proc` shows no other counters of the whole machine',
    programs('escape/09-counters'),
    WITH_SUPERVISOR,
  ),
  note('a tool runs in the host process with all rights', 'it says what is not promised'),
  note('all share the processors and the event loop', 'it says what is not promised'),
  note('text in the result of a tool can change', 'it says what is not promised'),
  note('Prefer Docker for code of strangers', 'it is advice for users'),
  note('If you use bubblewrap, give the host process', 'it is advice for users'),
  note('on each machine that runs code of strangers', 'it is advice for users'),
  note('can defeat the sandbox', 'it gives the reason for advice'),
  note('Give each tool only the rights', 'it is advice for users'),
  note('to deny calls, or to have a person approve them', 'it is advice for users'),
  note('can read what earlier programs of it left', 'it gives the reason for advice'),
  note('Do not give its socket to users', 'it is advice for users'),
  note('follow [Limits of the user]', 'it points to a part of the page'),
  note('**Give the audit log a key,**', 'it is advice for users'),
  note('To harden a machine further', 'it begins a list of advice'),
  shown(
    'a program can lie in what it prints',
    programs('protocol/55-forged-report', 'protocol/57-patched-json'),
    WITH_SUPERVISOR,
  ),
  note('they share a sandbox, its interpreters', 'it says what is not promised'),
  note('Use gVisor:', 'it is advice for users'),
  note('Use a rootless engine', 'it is advice for users'),
  note('Use one machine, or one virtual machine', 'it is advice for users'),
  note('`npm run security:run` runs', 'it says what a command does'),
  note('For each program it prints the result and the cost', 'it says what a command does'),
  shown(
    '`docs/security-report.md` in the repository',
    tests(
      'security/security-report.test.ts',
      'docs/security-report.md lists the cases, the programs and the system calls of the code',
    ),
  ),
  shown('`test/security/cases.ts` lists each case', [
    ...tests(
      'security/cases.test.ts',
      'has each planned case once, and further ones after them',
      'says what proves case $case: $title',
    ),
  ]),
  ...[
    'Do not open a public issue.',
    'On the page of the repository on GitHub',
    'Only the maintainers can read such a report',
    'Please include:',
    'what a program can do although this page says',
    'a program that shows it, and the code of the host',
    'the version of this library and the provider;',
    'the output of `sandboxed-ptc doctor --security` on that machine',
    'the name under which you want to be thanked',
    'Please publish nothing before that',
    'If you get no answer, open an issue',
    'Report flaws of the trusted software',
  ].map((sentence) => note(sentence, 'advice to whoever finds a flaw')),
  ...['Expect a first answer within 5 working days', 'Accepted vulnerabilities are corrected'].map(
    (sentence) => note(sentence, 'says what the maintainers do, not what the code does'),
  ),
];
