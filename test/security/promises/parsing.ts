import { programs, tests } from '../cases/security-case.ts';
import { design, note, shown, type SecurityPromise } from './security-promise.ts';

export const PARSING: readonly SecurityPromise[] = [
  design(
    'the host does not parse what the model wrote',
    'that no code of the host parses a program cannot be seen from outside',
    programs('typescript/127-hostile-types'),
  ),
  shown('the TypeScript compiler reads programs on the host', [
    ...tests(
      'sessions/type-check.system.test.ts',
      'does not run a program with type errors, and tells them in its own lines',
      'runs whatever it is given where it was not asked to check',
    ),
  ]),
  shown('The compiler runs in a child process with limits', [
    ...tests(
      'languages/type-checker.system.test.ts',
      '%s: is refused or runs unchecked, and the next one is checked',
    ),
    ...tests(
      'sessions/type-check.system.test.ts',
      'runs a program whose check never ends, unchecked, says so, and checks the next',
    ),
  ]),
  shown('The process has no environment variables of the host', [
    ...tests(
      'languages/type-checker.system.test.ts',
      'has nothing of its host: no environment, and no descriptor but its pipes',
    ),
  ]),
  shown('permission model prevents it from writing files', [
    ...tests(
      'languages/type-checker.system.test.ts',
      'can write no file, start no process and read nothing but the package and the compiler',
    ),
  ]),
  shown('The host limits the size of its answer', [
    ...tests(
      'languages/type-checker.system.test.ts',
      'is ended, and the program runs, if it sends %s',
    ),
  ]),
  design(
    'By design, the compiler does not run the program.',
    'the compiler has no function that runs code',
  ),
  note('The process is not a sandbox.', 'a weakness that is admitted'),
  note('A flaw of the compiler or of V8 could', 'a weakness that is admitted'),
  note('That code would have the rights', 'a weakness that is admitted'),
  design(
    'without `typeCheck` the host only looks for',
    'that nothing else of the host reads a program cannot be seen from outside',
  ),
  shown('Both searches take time in proportion', [
    ...tests(
      'languages/python-program.test.ts',
      'code made to slow the search for a fence down does not',
    ),
    ...tests(
      'cli/view/code-input.test.ts',
      'is read in one pass, however large and in however many pieces it comes',
    ),
    { script: 'fuzz:cost', why: 'it searches for programs that take the host longest to read' },
  ]),
];
