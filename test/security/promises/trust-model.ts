import { contractTests, programs, tests } from '../cases/security-case.ts';
import { ALL_PLACES, design, note, shown, type SecurityPromise } from './security-promise.ts';

export const TRUST_MODEL: readonly SecurityPromise[] = [
  shown('The host does not trust anything that a sandbox sends', [
    ...tests(
      'security/hostile-runner.test.ts',
      'I5: end for good if they break the protocol',
      'I7: cannot change a fact that the host knows itself',
    ),
  ]),
  shown('the bytes, the depth and the number of values', [
    ...tests(
      'protocol/frame-shape.test.ts',
      'may be as deep as the limit, and no deeper',
      'may have as many values as the limit, and no more',
    ),
    ...tests(
      'protocol/stream-transport.test.ts',
      'ends for a call over the limit before it is complete, and keeps none of it',
    ),
    ...tests('fuzz/frames.test.ts', 'are never longer than the limit'),
  ]),
  shown('the host checks the fields of each frame', [
    ...tests('protocol/frames.test.ts', 'no line makes the reader throw anything but a violation'),
    ...tests(
      'fuzz/frames.test.ts',
      'of the protocol is a message, without a word of anything else',
    ),
    ...tests(
      'execution/hostile-runner.test.ts',
      'that %s loses the sandbox',
      'that speaks of an execution %j, which it was never given, loses the sandbox',
      'that gives up a call which it never made loses the sandbox',
    ),
  ]),
  shown(
    'become objects that inherit nothing',
    [
      ...tests('protocol/frame-shape.test.ts', 'inherit nothing, at any depth'),
      ...contractTests('any-language/tools.ts', 'arguments inherit nothing, at any depth'),
    ],
    ALL_PLACES,
  ),
  shown('nothing received is evaluated', [
    ...tests(
      'security/hostile-runner.test.ts',
      'I6: send nothing that is evaluated or used as a key',
    ),
  ]),
  design(
    'nothing received is used as a path',
    'to show it, a test would have to see every file that the host opens',
  ),
  shown('arguments are validated in bounded time', [
    {
      script: 'fuzz:cost',
      why: 'it searches for schemas and arguments that take more than 50 ms',
    },
    ...programs('host/133-choices', 'host/134-words', 'host/135-tree', 'host/136-tree'),
    ...tests(
      'tools/patterns.test.ts',
      'patterns of a JSON Schema match in one pass, whatever the text is',
      'a pattern that cannot be matched in one pass is stopped, and works for other texts',
      '%s: an exponential pattern is stopped',
    ),
    ...tests(
      'tools/bounds.test.ts',
      'a long list of wrong values for a union of zod is not described one by one',
      'elements are found to be the same in whatever order their keys are, in long lists too',
      'conversions of zod cannot be made to last',
    ),
  ]),
  shown('each call passes through one function', [
    ...tests(
      'calls/invoke-tool.test.ts',
      'of the unknown tool %j is refused',
      'is refused to a caller that may not make it, with what to do instead',
      'with arguments that do not match the schema is refused before the tool runs',
      'fails when its time is up, aborts the tool, and drops a later result',
      'cuts a message that is a whole page',
    ),
    ...tests(
      'tools/policy-gate.test.ts',
      'whose arguments do not fit troubles no approver',
      'that is denied fails with the reason and does not run',
    ),
    ...tests(
      'shared/json.test.ts',
      'what would not fit into a text is refused, and without unfolding it first',
    ),
  ]),
  shown('they limit the calls and the bytes of a program.', [
    ...tests(
      'execution/execution-budgets.test.ts',
      'of tool calls twice over loses its sandbox at once',
      'of bytes out of the sandbox is interrupted, whatever they contain',
      'of bytes of results is interrupted, and the result that exceeds it is not sent',
    ),
  ]),
  shown('further calls of a program wait while its earlier ones wait', [
    ...tests(
      'execution/waiting-calls.system.test.ts',
      'until others have been approved',
      'until a listener has taken its events',
      'until the reader of a stream reads on',
      'until the audit log has room, also for their entries after the program',
    ),
  ]),
  shown('are served in turn, however many programs one of them sends', [
    ...tests(
      'sessions/tenants/turns.test.ts',
      'have their turns one after another, however many programs one of them sends',
      'have their turns to start one, before the pool',
    ),
    ...tests(
      'languages/type-check-turns.system.test.ts',
      'have their turns by tenant, if there are tenants',
    ),
    ...tests(
      'tools/define-tool.test.ts',
      'tenants whose calls wait have their turns one after another',
    ),
  ]),
  shown('Quotas bound the sandboxes, the programs and the waiting requests of each tenant', [
    ...tests(
      'sessions/tenants/quotas.test.ts',
      'counts idle sessions, lets others pass, and gives way if one is closed',
      'counts sandboxes from the pool, which belong to nobody before',
      'lets further programs of the tenant wait, in all its sessions, and no others',
      'refuses further programs before they have a sandbox, and no program of others',
    ),
    ...tests(
      'sessions/tenants/waiting-requests.test.ts',
      'refuses further ones before they have or want a sandbox, and none of others',
      'counts requests that wait for a key that another executor uses',
      'counts programs of a session until they begin',
      'is 1000 if there are tenants and no other number is set',
    ),
  ]),
  shown('The host remembers no tenant that was idle', [
    ...tests(
      'shared/fair-queue.test.ts',
      'knows only the groups that wait, however many there were',
    ),
    ...tests(
      'sessions/tenants/program-rate.test.ts',
      'are not remembered of tenants that were idle for a minute',
      'are as many as the quota for each tenant, and no tenant is remembered that has none',
    ),
  ]),
  shown('time limits and the expiry of sessions follow', [
    ...tests(
      'security/wall-clock.test.ts',
      'that jumps by %d ms ends no session and no run, and gives none more time',
    ),
    ...tests('security/hostile-runner.test.ts', 'I10: run no longer than the host’s clock allows'),
    ...programs('session/90-clock'),
  ]),
  shown('at most 10 approval requests open', [
    ...tests(
      'execution/approval-time.test.ts',
      'a program has at most ten requests at the approver, and the next one is asked when one is decided',
    ),
    ...tests(
      'orchestrator/policy.test.ts',
      'has at most ten direct calls of a run wait for their approval at a time',
    ),
  ]),
  note(
    'can contain characters that control a terminal',
    'it says what the next sentence is against',
  ),
  shown('The host escapes them on a terminal', [
    ...tests('shared/control-characters.test.ts', 'has spelled out what could deceive them: %j'),
    ...tests('cli/main.test.ts', 'keeps what a program prints from controlling the terminal'),
    ...tests('orchestrator/stream.test.ts', 'a listener that throws does not end the run'),
    ...tests(
      'audit/audit-chain.test.ts',
      'has nothing in its lines that could deceive who reads them on a terminal',
    ),
  ]),
  shown('JSON that is escaped in this way', [
    ...tests('shared/control-characters.test.ts', 'is the same value as JSON'),
    ...tests(
      'cli/terminal.test.ts',
      'is the same value as JSON, in which nothing controls the terminal',
    ),
  ]),
  design('no way to run code outside a sandbox', 'that an option does not exist cannot be tried'),
  shown('`auto` chooses among sandboxes, and fails', [
    ...tests('providers/select-provider.test.ts', 'says of each why it cannot be used'),
  ]),
  shown('The host first tells the tools to stop, then', [
    ...tests(
      'security/hostile-runner.test.ts',
      'I11: have their calls ended, then their connection cut, then their sandbox gone',
    ),
  ]),
  design(
    'it cuts the connection before it removes the sandbox',
    'it gives the reason for the order, which the sentence before it states',
    tests(
      'providers/docker/lifecycle.test.ts',
      'is closed while its program floods the host with output',
    ),
  ),
  shown(
    'Output above the limit does not stop a program',
    [
      ...tests(
        'guests/python/programs/limits.ts',
        'of more ${character} than the limit the head and the tail stay, and the omitted bytes add up',
      ),
      ...contractTests(
        'any-language/output.ts',
        'of a flood of output the head and the tail stay, and the rest does not stay in the host’s memory',
      ),
      ...programs('resources/51-flood'),
    ],
    ALL_PLACES,
  ),
  shown('If the container engine does not answer', [
    ...tests(
      'providers/docker/lifecycle.test.ts',
      'that is stuck keeps no sandbox from being closed, nor the process alive',
    ),
  ]),
];
