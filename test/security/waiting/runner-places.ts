import { tests } from '../cases/security-case.ts';
import { bound, budgets, WAITING_CALLS, type WaitingPlace } from './waiting-place.ts';

/** Between a runner and what it calls: bytes, output, calls and their results. */
export const RUNNER_PLACES: readonly WaitingPlace[] = [
  {
    what: 'bytes of a sandbox, until this process reads them',
    bounds: [
      ...bound('src/protocol/frames.ts', 'MAX_REPORT_BYTES', 'maxLineBytes'),
      ...budgets('callBytes'),
    ],
    fields: ['protocol/stream-transport.ts #unread', 'protocol/frames.ts #line'],
    proofs: [
      ...tests(
        'protocol/line-splitter.test.ts',
        'are refused as soon as a line is too long, complete or not',
        'are not kept any more once a line was too long',
      ),
      ...tests(
        'protocol/stream-transport.test.ts',
        'reads thousands of lines in turns, between which timers fire, and then tells of the end',
        'ends for a call over the limit before it is complete, and keeps none of it',
      ),
    ],
  },
  {
    what: 'text that an image prints before its runner is ready, until the start ends',
    bounds: bound('src/protocol/stream-transport.ts', 'MAX_DIAGNOSTICS_LENGTH'),
    fields: ['protocol/stream-transport.ts #diagnostics'],
    proofs: tests(
      'protocol/stream-transport.test.ts',
      'keeps four kilobytes of diagnostics, an unfinished line too, and shows broken text',
    ),
  },
  {
    what: 'messages after the outcome of a program, until the next one',
    bounds: bound('src/execution/connection/runner-connection.ts', 'MAX_STALE_BYTES'),
    fields: [],
    proofs: tests(
      'execution/hostile-runner.test.ts',
      'whose messages about an ended program never stop loses the sandbox',
    ),
  },
  {
    what: 'output, until the program ends',
    bounds: bound('src/execution/captured-output.ts', 'limitBytes'),
    fields: ['execution/captured-output.ts #parts'],
    proofs: tests(
      'execution/hostile-runner.test.ts',
      'that prints more than its limit loses the sandbox and keeps what came before',
    ),
  },
  {
    what: 'calls, until others of their program have ended',
    bounds: budgets('toolCalls', 'concurrentToolCalls', 'receivedBytes'),
    fields: [
      'execution/program-calls.ts #ids #semaphore',
      'calls/open-calls.ts #endings #givenUp',
      'shared/async/semaphore.ts #waiting #waitingLast #semaphore',
      'shared/async/event-loop-work.ts waiting',
    ],
    proofs: [
      ...tests(WAITING_CALLS, 'until other tools have answered'),
      ...tests(
        'execution/execution-budgets.test.ts',
        'are no more than their budget, and the others wait in order',
        'of bytes out of the sandbox is interrupted, whatever they contain',
        'of tool calls twice over loses its sandbox at once',
      ),
    ],
  },
  {
    what: 'calls, until a tool with `concurrency` has time for them',
    bounds: [...budgets('concurrentToolCalls'), ...bound('src/tools/define-tool.ts', 'timeoutMs')],
    fields: ['tools/define-tool.ts places'],
    proofs: tests(
      'tools/define-tool.test.ts',
      'no more calls run at once than concurrency allows, and an aborted one leaves the queue',
      'counts for the concurrency until it has ended',
    ),
  },
  {
    what: 'calls, until a person has decided',
    bounds: [
      ...bound('src/tools/policy/policy-gate.ts', 'OPEN_APPROVALS_PER_RUN', 'approvalTimeoutMs'),
      ...budgets('callBytes', 'callValues'),
    ],
    fields: ['tools/policy/approval-queue.ts #waiting', 'execution/execution-clock.ts #holders'],
    proofs: tests(
      WAITING_CALLS,
      'until others have been approved',
      'for an approval get the arguments that were sent, and release their permit meanwhile',
    ),
  },
  {
    what: 'results of tools, until the runner reads them',
    bounds: budgets('concurrentToolCalls', 'sentBytes'),
    fields: ['protocol/stream-transport.ts #taken'],
    proofs: [
      ...tests(
        'execution/unread-results.test.ts',
        'are no more than its calls at a time, and go on when it reads',
        'are dropped when the program ends',
      ),
      ...tests(
        'execution/execution-budgets.test.ts',
        'of bytes of results is interrupted, and the result that exceeds it is not sent',
      ),
      ...tests('protocol/unread-input.test.ts', 'is taken when the runner has read it'),
    ],
  },
  {
    what: 'programs, until the runner reads them',
    bounds: bound('src/execution/connection/program-reading.ts', 'isUnread'),
    fields: [],
    proofs: tests(
      'execution/unread-results.test.ts',
      'cannot be ended by it: the sandbox is lost, so that no unread programs collect',
    ),
  },
];
