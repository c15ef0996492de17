import { bound, budgets, type WaitingPlace } from './waiting-place.ts';

/** Between a runner and what it calls: bytes, output, calls and their results. */
export const RUNNER_PLACES: readonly WaitingPlace[] = [
  {
    id: 'bytes',
    what: 'bytes of a sandbox, until this process reads them',
    bounds: [
      ...bound('src/protocol/frames.ts', 'MAX_REPORT_BYTES'),
      ...bound('src/protocol/line-splitter.ts', 'maxLineBytes'),
      ...budgets('callBytes'),
    ],
    fields: ['protocol/stream-transport.ts #unread', 'protocol/line-splitter.ts #line'],
  },
  {
    id: 'diagnostics',
    what: 'text that an image prints before its runner is ready, until the start ends',
    bounds: bound('src/protocol/stream-transport.ts', 'MAX_DIAGNOSTICS_LENGTH'),
    fields: ['protocol/stream-transport.ts #diagnostics'],
  },
  {
    id: 'stale-messages',
    what: 'messages after the outcome of a program, until the next one',
    bounds: bound('src/execution/connection/stale-messages.ts', 'MAX_STALE_BYTES'),
    fields: [],
  },
  {
    id: 'file-requests',
    what: 'requests about files, until they are answered; those that your code makes wait for one another',
    bounds: bound(
      'src/execution/files/file-requests.ts',
      'MOST_PIECES',
      'MOST_GIVEN_UP',
      'REQUEST_TIMEOUT_MS',
    ),
    fields: ['execution/files/file-requests.ts #sent #underWay #givenUp appends'],
  },
  {
    id: 'output',
    what: 'output, until the program ends',
    bounds: bound('src/execution/captured-output.ts', 'limitBytes'),
    fields: ['execution/captured-output.ts #parts'],
  },
  {
    id: 'images',
    what: 'images that a program shows, until its result is read',
    bounds: bound('src/execution/shown-images.ts', 'MAX_IMAGES', 'MAX_IMAGE_BYTES'),
    fields: ['execution/shown-images.ts #images #problems #parts'],
  },
  {
    id: 'outputs',
    what: 'files that a program left, until its result is read',
    bounds: bound('src/execution/files/choose-outputs.ts', 'MAX_OUTPUTS', 'MAX_OUTPUT_BYTES'),
    fields: ['execution/files/choose-outputs.ts #byReason'],
  },
  {
    id: 'kept-results',
    what: 'results of calls, until their program ends',
    bounds: bound(
      'src/execution/kept-results.ts',
      'LONGEST_TEXT',
      'MOST_CHARACTERS',
      'MOST_RESULTS',
      'MOST_TOOLS',
    ),
    fields: ['execution/kept-results.ts #tools'],
  },
  {
    id: 'calls',
    what: 'calls, until others of their program have ended',
    bounds: budgets('toolCalls', 'concurrentToolCalls', 'receivedBytes'),
    fields: [
      'execution/program-calls.ts #ids',
      'execution/call-permits.ts #semaphore #remoteSemaphore',
      'calls/open-calls.ts #endings #givenUp',
      'calls/waited-for.ts #listeners',
      'shared/async/semaphore.ts #waiting #waitingLast #semaphore',
      'shared/async/event-loop-work.ts waiting',
    ],
  },
  {
    id: 'tool-concurrency',
    what: 'calls, until a tool with `concurrency` has time for them',
    bounds: [
      ...budgets('concurrentToolCalls'),
      ...bound('src/tools/limits/limited-run.ts', 'limits'),
    ],
    fields: ['tools/limits/limited-run.ts places'],
  },
  {
    id: 'remote-calls',
    what: 'calls of remote tools, until whoever holds their program has answered',
    bounds: [
      ...budgets('toolCalls', 'receivedBytes'),
      ...bound('src/tools/remote-tool.ts', 'remoteTimeoutMs'),
    ],
    fields: ['execution/held/remote-calls.ts #open #closed #arriving'],
  },
  {
    id: 'approvals',
    what: 'calls, until a person has decided',
    bounds: [
      ...bound('src/tools/policy/policy-gate.ts', 'OPEN_APPROVALS_PER_RUN', 'approvalTimeoutMs'),
      ...budgets('callBytes', 'callValues'),
    ],
    fields: [
      'tools/policy/approval-queue.ts #waiting',
      'execution/limits/execution-clock.ts #holders',
    ],
  },
  {
    id: 'call-group',
    what: 'calls, until the approver is asked about them together, and has decided',
    bounds: [
      ...bound('src/tools/policy/batches/call-group.ts', 'MOST_CALLS', 'MOST_BYTES'),
      ...bound('src/tools/policy/policy-gate.ts', 'approvalTimeoutMs'),
      ...budgets('toolCalls', 'callBytes'),
    ],
    fields: [
      'tools/policy/batches/call-group.ts #arriving',
      'tools/policy/batches/call-group.ts #waiting',
      'tools/policy/batches/open-batch.ts #places',
      'tools/policy/batches/open-batch.ts #expected',
      'tools/policy/batches/open-batch.ts #open',
      'tools/policy/batches/waiting-batches.ts #waiting',
      'tools/policy/batches/waiting-batches.ts #left',
      'tools/policy/grants/grant-proposals.ts #places',
    ],
  },
  {
    id: 'results',
    what: 'results of tools, until the runner reads them',
    bounds: budgets('concurrentToolCalls', 'sentBytes'),
    fields: ['protocol/stream-transport.ts #taken'],
  },
  {
    id: 'unread-programs',
    what: 'programs, until the runner reads them',
    bounds: bound('src/execution/connection/program-reading.ts', 'isUnread'),
    fields: [],
  },
];
