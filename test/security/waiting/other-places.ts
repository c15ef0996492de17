import { tests } from '../cases/security-case.ts';
import { bound, budgets, WAITING_CALLS, type WaitingPlace } from './waiting-place.ts';

/** Between programs, and what reads or keeps what they did: compiler, listeners, logs, stores, models, browsers. */
export const OTHER_PLACES: readonly WaitingPlace[] = [
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
    proofs: [
      ...tests(
        'models/large-answers.test.ts',
        'is refused from its 1001st call on, and nothing of it runs',
      ),
      ...tests(
        'orchestrator/conversation.test.ts',
        'cuts what is too long for the context and says how to see the rest',
      ),
    ],
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
