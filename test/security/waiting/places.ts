import { tests, type TestProof } from '../cases/security-case.ts';

/** A place in this process where data of a program, or of its model, waits for somebody else's pace. */
export interface WaitingPlace {
  /** What waits, and for whom. */
  readonly what: string;
  /** The options and constants that bound its bytes, each as a name in a file of `src` or `examples`. */
  readonly bounds: readonly Bound[];
  /** The fields of `src` that hold it: the file, then the names. */
  readonly fields: readonly string[];
  /** The tests that fill it, or send more than its bound. */
  readonly proofs: readonly TestProof[];
}

export interface Bound {
  readonly name: string;
  readonly file: string;
}

function bound(file: string, ...names: readonly string[]): Bound[] {
  return names.map((name) => ({ name, file }));
}

function budgets(...names: readonly string[]): Bound[] {
  return bound('src/execution/execution-budgets.ts', ...names);
}

const WAITING_CALLS = 'execution/waiting-calls.system.test.ts';

export const WAITING_PLACES: readonly WaitingPlace[] = [
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
      'execution/calls/program-calls.ts #ids #semaphore',
      'execution/calls/open-calls.ts #endings #givenUp',
      'shared/async/semaphore.ts #waiting #semaphore',
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
    fields: ['tools/define-tool.ts queue'],
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
      ...tests('protocol/stream-transport.test.ts', 'tells when the runner has read what was sent'),
    ],
  },
  {
    what: 'programs, until the runner reads them',
    bounds: bound('src/execution/connection/runner-connection.ts', '#isProgramUnread'),
    fields: [],
    proofs: tests(
      'execution/unread-results.test.ts',
      'cannot be ended by it: the sandbox is lost, so that no unread programs collect',
    ),
  },
  {
    what: 'programs of one answer, until their session has ended the one before',
    bounds: bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS', 'MAX_CHARACTERS'),
    fields: [
      'sessions/session/sandbox-session.ts #queue',
      'orchestrator/code/code-session.ts #queue',
      'orchestrator/run-queue.ts #queue',
    ],
    proofs: tests(
      'models/large-answers.test.ts',
      'is refused from its 1001st call on, and nothing of it runs',
      'is refused if it has more than 16,777,216 characters',
    ),
  },
  {
    what: 'programs, until the compiler has checked those of other sessions',
    bounds: [
      ...bound('src/languages/type-check/check-messages.ts', 'code', 'reply'),
      ...bound('src/languages/type-check/checker-process.ts', 'MAX_WAIT_MS'),
    ],
    fields: [
      'languages/type-check/checker-process.ts #turns',
      'languages/type-check/lines.ts #parts',
    ],
    proofs: [
      ...tests(
        'languages/type-checker.system.test.ts',
        'is not given to it if it is longer than what a model writes',
      ),
      ...tests(
        'languages/type-check-turns.system.test.ts',
        'run a program unchecked, and say so, if others are checked for a second',
        'do not wait for checks whose programs were aborted',
      ),
    ],
  },
  {
    what: 'names that programs declared, until the session ends',
    bounds: bound('src/languages/type-check/session-names.ts', 'MAX_SESSION_LENGTH', 'MAX_NAMES'),
    fields: ['languages/type-check/session-names.ts #modules'],
    proofs: tests('languages/type-check.test.ts', 'take bounded room, however many they are'),
  },
  {
    what: 'events, until the listener `onEvent` has taken those before',
    bounds: budgets('concurrentToolCalls', 'callBytes', 'callValues'),
    fields: [],
    proofs: [
      ...tests(WAITING_CALLS, 'until a listener has taken its events'),
      ...tests(
        'execution/slow-listener.test.ts',
        'no tool runs and no call is answered until the listener has taken the events before',
      ),
    ],
  },
  {
    what: 'events of stream(), until their reader reads on',
    bounds: bound('src/orchestrator/events/event-stream.ts', 'MAX_WAITING_BYTES'),
    fields: ['orchestrator/events/event-stream.ts #events'],
    proofs: [
      ...tests(
        'orchestrator/slow-reader.test.ts',
        'the producer of a stream waits while unread events take 4 MiB, until they are read or given up',
        'short texts that become large values count as what they take',
      ),
      ...tests(WAITING_CALLS, 'until the reader of a stream reads on'),
    ],
  },
  {
    what: 'audit entries, until they are written',
    bounds: [
      ...bound('src/audit/queue.ts', 'QUEUE_LIMIT_BYTES'),
      ...bound('src/audit/writer.ts', 'STALL_MS'),
      ...budgets('receivedBytes'),
    ],
    fields: ['audit/intake.ts #waiting', 'audit/queue.ts #records'],
    proofs: [
      ...tests(
        WAITING_CALLS,
        'until the audit log has room, also for their entries after the program',
      ),
      ...tests(
        'execution/audit-room.system.test.ts',
        'a tool does not run, and no call is answered, while the audit log is full',
      ),
      ...tests(
        'audit/audit-queue.test.ts',
        'keeps what it has room for, in order, and counts the rest where it was',
      ),
      ...tests(
        'audit/audit-full.system.test.ts',
        'because its file never answers counts as one that fails after ten seconds, and goes on when it answers',
      ),
    ],
  },
  {
    what: 'entries of calls, until the store of the conversation has them',
    bounds: [
      ...bound('src/orchestrator/call-record.ts', 'KEPT_LENGTH'),
      ...budgets('concurrentToolCalls'),
      ...bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS'),
    ],
    fields: ['orchestrator/store/journal.ts #waiting'],
    proofs: [
      ...tests(
        'security/waiting/slow-store.test.ts',
        'a store that never answers gets the start of each call, and no more calls than may run at a time',
      ),
      ...tests(
        'orchestrator/store/steps.test.ts',
        'has no more of a call than is reported later, and never its context',
      ),
    ],
  },
  {
    what: 'calls of a program, until its result is told to the model',
    bounds: [
      ...bound(
        'src/orchestrator/call-record.ts',
        'KEPT_OPEN_CALLS',
        'KEPT_LENGTH',
        'KEPT_NAME_LENGTH',
        'ENDED_LENGTH',
      ),
      ...budgets('toolCalls'),
    ],
    fields: [
      'orchestrator/call-record.ts #open #olderOpen #ended #older',
      'orchestrator/store/stored-conversation.ts #calls',
    ],
    proofs: tests(
      'orchestrator/call-record.test.ts',
      'names the newest of many calls with an unknown outcome, and counts the others',
      'is never too long for one result, no matter what a program calls and tools return',
    ),
  },
  {
    what: 'results of one answer’s calls, until all have ended',
    bounds: [
      ...bound('src/orchestrator/code/context-text.ts', 'MAX_CONTEXT_LENGTH'),
      ...bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS'),
    ],
    fields: ['orchestrator/tool-uses.ts #soFar', 'orchestrator/turns/run-limits.ts #asked'],
    proofs: tests(
      'models/large-answers.test.ts',
      'is refused from its 1001st call on, and nothing of it runs',
    ),
  },
  {
    what: 'an answer of the model, until its service has sent the end',
    bounds: bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS', 'MAX_CHARACTERS'),
    fields: [
      'models/anthropic/answer.ts #blocks #stopReason',
      'models/bedrock/answer.ts #blocks',
      'models/openai/answer.ts #calls #open #text #finishReason',
      'orchestrator/conversation/transcript.ts #partialText',
    ],
    proofs: tests(
      'models/large-answers.test.ts',
      'is refused from its 1001st call on, and nothing of it runs',
      'is refused if it has more than 16,777,216 characters',
    ),
  },
  {
    what: 'events for a browser, in the example of a chat server',
    bounds: bound('examples/web-chat/event-stream.mjs', 'drain'),
    fields: [],
    proofs: tests(
      'examples/web-chat/slow-reader.test.ts',
      'a run waits for a reader who takes no more, and ends when the reader has gone',
    ),
  },
];

/** The other fields of `src` that can grow, by file or folder, and why no program makes them grow. */
export const NOT_OF_PROGRAMS: Readonly<Record<string, string>> = {
  'audit/verify/': 'lines of a log that somebody verifies, one at a time',
  'cli/': 'what a person types, and what a terminal shows of one run',
  'languages/schema/': 'schemas of tools, from their authors',
  'languages/type-check/compiler.ts': 'files of one check, in a process of its own',
  'models/bedrock/media.ts': 'names of documents in one request',
  'orchestrator/code/': 'holds and languages, from your code',
  'orchestrator/conversation/': 'the conversation itself',
  'orchestrator/orchestrator.ts': 'languages, from options',
  'orchestrator/store/file-store.ts': 'at most a thousand files',
  'orchestrator/store/stored-conversation.ts': 'the conversation itself',
  'orchestrator/turns/model-calls.ts': 'models, from options',
  'protocol/stream-transport.ts': 'streams, from the provider',
  'providers/': 'sandboxes and their processes, within maxSandboxes and pool',
  'sessions/': 'sessions and sandboxes, within maxSandboxes and pool, and their callers',
  'shared/async/any-signal.ts': 'signals, from options',
  'shared/control-characters.ts': 'one cell for each character that is escaped',
  'shared/held-names/': 'keys that this process holds',
  'shared/json/': 'the place in one value that is being converted',
  'tools/': 'tools, rules and patterns, from their authors',
};
