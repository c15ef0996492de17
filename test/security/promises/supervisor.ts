import { programs, tests } from '../cases/security-case.ts';
import { note, shown, WITH_SUPERVISOR, type SecurityPromise } from './security-promise.ts';

const BOTH = WITH_SUPERVISOR;

export const SUPERVISOR: readonly SecurityPromise[] = [
  shown(
    'In Docker and bubblewrap, a sandbox has a supervisor',
    [
      ...programs('escape/03-signals'),
      ...tests(
        'providers/bubblewrap/bwrap-arguments.test.ts',
        'ends with its host, has no terminal, and has the supervisor as process 1',
      ),
      ...tests(
        'providers/docker/container-config.test.ts',
        'ends with its host and is removed by the engine',
      ),
    ],
    BOTH,
  ),
  shown(
    'The supervisor runs no program, other processes cannot trace',
    programs(
      'escape/03-ptrace',
      'escape/03-supervisor',
      'escape/16-descriptors',
      'javascript/121-secrets',
      'bash/131-files',
    ),
    BOTH,
  ),
  shown(
    'A guest has only pipes to the supervisor.',
    programs('escape/16-descriptors', 'bash/131-files'),
    BOTH,
  ),
  shown(
    'Therefore a program cannot write to the host',
    programs(
      'escape/03-supervisor',
      'protocol/78-standard-input',
      'resources/43-swallowed-interrupt',
      'javascript/124-own-listeners',
      'bash/130-ignored-signals',
    ),
    BOTH,
  ),
  shown(
    'A program can write to the pipes of its own guest',
    programs(
      'protocol/55-forged-report',
      'protocol/55-no-frame',
      'javascript/115-forged-report',
      'bash/128-forged-descriptors',
    ),
    BOTH,
  ),
  shown(
    'It can therefore report its own end itself',
    programs('protocol/55-forged-report', 'protocol/55-no-frame', 'javascript/115-forged-report'),
    BOTH,
  ),
  shown('The supervisor checks each field of a report', [
    ...tests('runner/run-ends.test.ts', 'loses its session if the field %s is wrong: %j'),
  ]),
  shown(
    'If a report differs from what a guest writes',
    [
      ...tests(
        'runner/run-ends.test.ts',
        'loses its session if the field %s is wrong: %j',
        'loses its session, and does not succeed, if that %s',
      ),
      ...programs('protocol/55-wrong-report', 'protocol/55-two-reports'),
    ],
    BOTH,
  ),
  shown(
    'Only the host checks a tool call',
    programs('protocol/56-other-execution', 'javascript/115-foreign-call', 'bash/128-forged-call'),
    BOTH,
  ),
  shown(
    'A call that breaks the protocol ends the session',
    programs(
      'protocol/56-other-execution',
      'protocol/65-invalid-text',
      'protocol/67-deep-frame',
      'protocol/74-repeated-call',
      'javascript/115-foreign-call',
      'bash/128-forged-call',
    ),
    BOTH,
  ),
  shown(
    'Before the host receives an outcome, the supervisor freezes',
    [
      ...tests(
        'runner/run-ends.test.ts',
        'is frozen where it did, and uses no processor until its next run',
        'in Python is ended with its run: %s',
      ),
      ...programs('resources/54-leftovers', 'resources/54-waker', 'bash/132-floods'),
    ],
    BOTH,
  ),
  shown(
    'A program whose interpreter has exited never has',
    [
      ...tests(
        'runner/run-ends.test.ts',
        'has not, if it is heard of after its exit',
        'is frozen where it did, and uses no processor until its next run',
      ),
      ...programs('session/88-quiet-exit', 'resources/54-fleeing'),
    ],
    BOTH,
  ),
  shown('Threads of a program continue with the next program', [
    ...tests(
      'runner/run-ends.test.ts',
      'is ended though a thread of the program waits for it, which goes on in the next run',
    ),
  ]),
  shown(
    'If a program makes the kernel resume its frozen guest',
    [
      ...tests('runner/frozen-guests.test.ts', 'by %s is ended', '%s is stopped again'),
      ...tests(
        'runner/frozen-guests.test.ts',
        'by a signal for its output, which is read after its end, is ended, or else it stands still',
      ),
      ...programs('resources/54-orphaned-group', 'resources/54-timer'),
    ],
    BOTH,
  ),
  note('The guest for bash keeps a shell', 'it says what the next sentence is about'),
  shown(
    'the supervisor checks once a second whether the shell has run',
    programs('bash/54-timer'),
    BOTH,
  ),
  shown('while a program runs in a sandbox that outlives the host', [
    ...tests(
      'providers/docker/persistent.test.ts',
      'stops a program that exceeds its limit without a host, and ends after its idle time',
    ),
    ...tests('runner/time-limit.test.ts', 'a program without a host %s'),
  ]),
  shown('The time that the program waits for an approval', [
    ...tests('runner/time-limit.test.ts', 'a program without a host %s'),
    ...tests(
      'execution/approvals.system.test.ts',
      'is not stopped by its sandbox, which would otherwise do so 5 s after the limit',
    ),
  ]),
  shown(
    'is on inside these sandboxes as a further layer',
    [
      ...programs('javascript/119-processes', 'javascript/119-flags', 'javascript/121-writes'),
      ...tests(
        'runner/javascript/permission-model.test.ts',
        'the permission model is on in a Node that calls it %s',
      ),
    ],
    BOTH,
  ),
];
