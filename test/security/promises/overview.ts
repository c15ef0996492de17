import { contractTests, programs, tests } from '../cases/security-case.ts';
import { ALL_PLACES, note, shown, type SecurityPromise } from './security-promise.ts';

export const OVERVIEW: readonly SecurityPromise[] = [
  note('Every program is treated as hostile', 'the assumption on which the page rests'),
  note('This page is for engineers', 'it says what the page is about'),
  note('It says what a program in a sandbox cannot do', 'it says what the page is about'),
  note('The [glossary](docs/glossary.md)', 'it points to another document'),
  shown('`test/security/promises` lists each sentence', [
    ...tests(
      'security/promises.test.ts',
      'has each sentence once',
      'has no entry without a sentence of its own',
    ),
  ]),
  shown('If a sentence says "by design"', [
    ...tests('security/promises.test.ts', 'says what shows: $sentence'),
  ]),
  shown(
    'A program can print.',
    contractTests('any-language/programs.ts', 'what a program prints is its output'),
    ALL_PLACES,
  ),
  shown(
    'It can call the registered tools that allow code',
    [
      ...contractTests(
        'any-language/tools.ts',
        'a tool gets its arguments by their names, and the defaults of what is left out',
      ),
      ...contractTests(
        'any-language/tool-failures.ts',
        'arguments of a wrong type reach no tool, and the program is told',
        'a tool that only the model may call is none of the program’s',
      ),
    ],
    ALL_PLACES,
  ),
  note('a program cannot:', 'it begins the list of what is promised'),
  shown(
    'reach a network;',
    programs(
      'network/20-connections',
      'network/20-host-port',
      'network/20-names',
      'network/20-requests',
      'javascript/120-network',
      'bash/131-network',
    ),
    ALL_PLACES,
  ),
  shown(
    'read files of the host, except',
    [
      ...programs('escape/08-machine-files', 'escape/09-leaks', 'filesystem/26-machine'),
      ...tests(
        'providers/docker/container-config.test.ts',
        'shares no namespace and nothing of the file system with the host',
      ),
      ...tests(
        'providers/bubblewrap/hardening.test.ts',
        'starts under its filter, and nothing runs before it',
      ),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'sees a file system of its own, with nothing of the machine in it',
        'has no permissions even if it finds a way to Deno',
      ),
    ],
    ALL_PLACES,
  ),
  shown(
    'write files of the host;',
    [
      ...programs('filesystem/26-root', 'escape/02-mounts-of-ours', 'javascript/121-writes'),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'has no permissions even if it finds a way to Deno',
      ),
    ],
    ALL_PLACES,
  ),
  shown(
    'see the environment variables of the host;',
    programs('escape/09-environment'),
    ALL_PLACES,
  ),
  shown(
    'read or change anything in another sandbox;',
    [
      ...programs(
        'filesystem/34-other-sessions',
        'network/24-local-sockets',
        'network/24-queue-files',
        'network/24-shared-memory',
        'resources/54-late-output',
        'session/86-builtins',
      ),
      ...contractTests('any-language/sessions.ts', 'two sessions know nothing of one another'),
    ],
    ALL_PLACES,
  ),
  shown('run a tool that is not registered for code', [
    ...tests(
      'security/hostile-runner.test.ts',
      'I2: cannot call a tool that code may not call, with wrong arguments, outside a run or beyond the budget',
    ),
    ...tests(
      'fuzz/tool-arguments.test.ts',
      'runs a tool that code may call with arguments that fit it, or no tool at all',
    ),
    ...tests(
      'guests/python/tools/tools.ts',
      'a forged call of a tool that only the model may call is refused by the host',
    ),
  ]),
  shown('denies the call, or before the call is approved', [
    ...tests(
      'tools/policy-gate.test.ts',
      'that is denied fails with the reason and does not run',
      'that nobody decides in time is rejected and says so',
    ),
    ...tests(
      'execution/approvals.system.test.ts',
      'continues where it was, with its state, which stays for the next program',
      'gets a ToolError at once if a rule denies it',
    ),
  ]),
  shown(
    'use more memory, processor time, processes or storage',
    [
      ...programs(
        'resources/38-memory-bomb',
        'resources/42-processor',
        'resources/36-fork-bomb',
        'escape/10-processes',
        'filesystem/27-size',
        'filesystem/28-one-storage',
        'filesystem/29-inodes',
      ),
      ...tests('providers/bubblewrap/hardening.test.ts', 'has its share of processors and no more'),
    ],
    ALL_PLACES,
  ),
  shown(
    'continue to run after its session is closed;',
    [
      ...programs('resources/54-survivors'),
      ...tests(
        'providers/docker/lifecycle.test.ts',
        'is closed while its program floods the host with output',
        'that is paused can still be closed',
      ),
      ...tests(
        'providers/bubblewrap/lifecycle.test.ts',
        'that is closed is gone with all of its processes, and may be closed again',
      ),
      ...tests(
        'providers/embedded/embedded-provider.test.ts',
        'can be closed while its program runs and prints without end',
      ),
    ],
    ALL_PLACES,
  ),
  shown(
    'make more tool calls, or make the host receive',
    [
      ...tests(
        'execution/execution-budgets.test.ts',
        'of tool calls is interrupted, and the limit and its value are named',
        'of bytes out of the sandbox is interrupted, whatever they contain',
        'of bytes of results is interrupted, and the result that exceeds it is not sent',
      ),
      ...programs(
        'protocol/79-argument-flood',
        'protocol/79-call-flood',
        'protocol/79-result-flood',
      ),
    ],
    ALL_PLACES,
  ),
  shown(
    'make the host treat printed text as a message',
    [
      ...programs(
        'protocol/55-printed-call',
        'protocol/55-printed-outcome',
        'protocol/58-markers',
        'javascript/115-printed-frames',
      ),
      ...tests(
        'security/hostile-runner.test.ts',
        'I1: are known by their connections, whatever their frames claim',
      ),
    ],
    ALL_PLACES,
  ),
  shown('learn more about the failure of a tool', [
    ...tests('calls/invoke-tool.test.ts', 'passes on only the message of what a tool throws'),
    ...tests('security/hostile-runner.test.ts', 'I8: get no secret'),
  ]),
  shown('end the host process or disturb another session', [
    ...tests(
      'security/hostile-runner.test.ts',
      'I5: end for good if they break the protocol',
      'I12: disturb no other session, and each of their runs ends with a status or a typed error',
    ),
    ...tests('execution/host-faults.test.ts', 'at %s refuses the call and continues'),
    ...tests(
      'fuzz/transport.test.ts',
      'ends with a typed error or goes on, whatever comes on both streams',
    ),
  ]),
  shown('exhaust the memory of the host process with calls that wait', [
    ...tests(
      'execution/waiting-calls.system.test.ts',
      'until other tools have answered',
      'until others have been approved',
      'until the audit log has room, also for their entries after the program',
    ),
    ...programs('host/142-waiting-keys'),
  ]),
  shown('a call whose size is within the default limits holds', [
    {
      script: 'fuzz:cost',
      why: 'it searches for inputs that take more than 50 ms of processor time',
    },
    { script: 'bench', why: 'its row HOSTILE measures how long hostile data holds the event loop' },
    ...programs(
      'host/133-nullable-list',
      'host/134-nested-repetition',
      'host/135-union',
      'host/136-union',
      'host/139-call-frames-at-once',
      'host/140-result-flood',
      'host/142-everything-at-once',
    ),
    ...tests(
      'tools/patterns.test.ts',
      'a pattern that cannot be matched in one pass is stopped, and works for other texts',
    ),
    ...tests(
      'tools/bounds.test.ts',
      'a long list of wrong values for a union of zod is not described one by one',
    ),
    ...tests(
      'fuzz/frames.test.ts',
      'take time in proportion to their bytes, cut into small pieces and without a newline',
    ),
  ]),
  shown('A program ends with one of nine statuses', [
    ...tests(
      'security/hostile-runner.test.ts',
      'reach each kind of end, and each tool that they may call',
      'I12: disturb no other session, and each of their runs ends with a status or a typed error',
    ),
    ...programs('protocol/79-argument-flood'),
    ...contractTests(
      'any-language/limits.ts',
      'an abort ends the program, keeps what it printed, and fires the tool’s signal',
    ),
  ]),
  shown(
    'Every status except `ok` and `error`',
    [
      ...programs('resources/40-forged-kill', 'resources/40-forged-status', 'session/88-liar'),
      ...tests(
        'security/hostile-runner.test.ts',
        'I7: cannot change a fact that the host knows itself',
      ),
      ...tests(
        'providers/bubblewrap/memory.test.ts',
        'an end by the same signal that was not due to memory is not reported as memory',
      ),
    ],
    ALL_PLACES,
  ),
  shown(
    'The program itself reports whether it succeeded',
    programs('protocol/55-forged-report'),
    ALL_PLACES,
  ),
  shown(
    'the interpreter had not ended when the program ended',
    [
      ...tests('runner/run-ends.test.ts', 'has not, if it is heard of after its exit'),
      ...programs('session/88-quiet-exit', 'protocol/55-report-and-go-on'),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'that reports a success itself has ended as it really does, by %s',
      ),
    ],
    ALL_PLACES,
  ),
];
