import { bound, budgets, type WaitingPlace } from './waiting-place.ts';

/** Between programs, and what reads or keeps what they did: compiler, listeners, logs, stores, models, browsers. */
export const OTHER_PLACES: readonly WaitingPlace[] = [
  {
    id: 'answer-programs',
    what: 'programs of one answer, until their session has ended the one before',
    bounds: bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS', 'MAX_CHARACTERS'),
    fields: [
      'sessions/session/program-runner.ts #queue',
      'orchestrator/code/code-session.ts #queue',
      'orchestrator/long-programs/long-programs.ts #calls',
      'orchestrator/run/run-queue.ts #queue',
    ],
  },
  {
    id: 'type-check',
    what: 'programs, until the compiler has checked those of other sessions',
    bounds: [
      ...bound('src/languages/type-check/shared/check-messages.ts', 'code', 'reply'),
      ...bound('src/languages/type-check/check-deadlines.ts', 'MAX_WAIT_MS'),
      ...bound('src/languages/type-check/unchecked-askers.ts', 'UNCHECKED_MS'),
    ],
    fields: [
      'languages/type-check/checker-process.ts #turns',
      'languages/type-check/shared/lines.ts #parts',
      'languages/type-check/unchecked-askers.ts #until',
    ],
  },
  {
    id: 'declared-names',
    what: 'names that programs declared, until the session ends',
    bounds: bound('src/languages/type-check/session-names.ts', 'MAX_SESSION_LENGTH', 'MAX_NAMES'),
    fields: ['languages/type-check/session-names.ts #modules'],
  },
  {
    id: 'listener',
    what: 'events, until the listener `onEvent` has taken those before',
    bounds: budgets('concurrentToolCalls', 'callBytes', 'callValues'),
    fields: [],
  },
  {
    id: 'stream',
    what: 'events of stream(), until their reader reads on',
    bounds: bound('src/orchestrator/events/event-stream.ts', 'MAX_WAITING_BYTES'),
    fields: ['orchestrator/events/event-stream.ts #events'],
  },
  {
    id: 'audit',
    what: 'audit entries, until they are written',
    bounds: [
      ...bound('src/audit/queue.ts', 'QUEUE_LIMIT_BYTES'),
      ...bound('src/audit/writer.ts', 'STALL_MS'),
      ...budgets('receivedBytes'),
    ],
    fields: ['audit/intake.ts #waiting', 'audit/queue.ts #records'],
  },
  {
    id: 'store',
    what: 'entries of calls, until the store of the conversation has them',
    bounds: [
      ...bound('src/orchestrator/calls/start-of.ts', 'KEPT_LENGTH'),
      ...budgets('concurrentToolCalls'),
      ...bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS'),
    ],
    fields: ['orchestrator/store/journal.ts #waiting'],
  },
  {
    id: 'call-record',
    what: 'calls of a program, until its result is told to the model',
    bounds: [
      ...bound('src/orchestrator/call-record.ts', 'ENDED_LENGTH'),
      ...bound('src/orchestrator/calls/listed-calls.ts', 'KEPT_CALLS', 'KEPT_NAME_LENGTH'),
      ...bound('src/orchestrator/calls/start-of.ts', 'KEPT_LENGTH'),
      ...budgets('toolCalls'),
    ],
    fields: [
      'orchestrator/call-record.ts #ended #older',
      'orchestrator/calls/listed-calls.ts #calls #older',
      'orchestrator/store/stored-conversation.ts #calls',
    ],
  },
  {
    id: 'deferred-calls',
    what: 'calls that a program deferred, until it has ended',
    bounds: bound('src/calls/deferred/deferrals.ts', 'MOST_DEFERRED_CALLS', 'MOST_DEFERRED_BYTES'),
    fields: ['execution/deferred/deferred-calls.ts #kept'],
  },
  {
    id: 'answer-results',
    what: 'results of one answer’s calls, until all have ended',
    bounds: [
      ...bound('src/orchestrator/long-text/result-texts.ts', 'maxResultBytes'),
      ...bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS'),
    ],
    fields: ['orchestrator/tool-uses.ts #soFar', 'orchestrator/turns/run-limits.ts #asked'],
  },
  {
    id: 'long-result',
    what: 'a result that is too long for the model, until it is in a file of its session',
    bounds: bound('src/orchestrator/long-text/kept-text.ts', 'MAX_FILE_BYTES', 'DEADLINE_MS'),
    fields: [],
  },
  {
    id: 'model-answer',
    what: 'an answer of the model, until its service has sent the end',
    bounds: bound('src/orchestrator/turns/read-answer.ts', 'MAX_CALLS', 'MAX_CHARACTERS'),
    fields: [
      'ai-sdk/model/answer.ts #blocks',
      'models/anthropic/answer.ts #blocks #stopReason',
      'models/bedrock/answer.ts #blocks',
      'models/openai/open-call.ts #json',
      'models/openai/answer.ts #calls #open #text #thinking #finishReason',
      'orchestrator/conversation/transcript.ts #partialText',
    ],
  },
  {
    id: 'browser',
    what: 'events for a browser, in the example of a chat server',
    bounds: bound('examples/web-chat/event-stream.mjs', 'drain'),
    fields: [],
  },
];
