import { OTHER_PLACES } from './other-places.ts';
import { RUNNER_PLACES } from './runner-places.ts';
import type { WaitingPlace } from './waiting-place.ts';

/** Each place in this process where data of a program, or of its model, waits for somebody else's pace. */
export const WAITING_PLACES: readonly WaitingPlace[] = [...RUNNER_PLACES, ...OTHER_PLACES];

/** The other fields of `src` that can grow, by file or folder, and why no program makes them grow. */
export const NOT_OF_PROGRAMS: Readonly<Record<string, string>> = {
  'languages/catalog/': 'of the tools, which the host gives',
  'calls/limits/':
    'tools with limits, from their authors, in at most MOST_SCOPES runs and sessions, and digests of at most MOST_CALLS calls',
  'mcp/server/':
    'of the clients of a server, of which each has a limited number of calls and sessions',
  'calls/call-trail.ts':
    'arguments that an approver gave, until the call ends, of which few wait for one at a time',
  'openapi/': 'of the document of a service, which has a limited size',
  'ai-sdk/code/': 'tools, from options, and the output of one program, cut at MAX_LENGTH',
  'audit/verify/': 'lines of a log that somebody verifies, one at a time',
  'cli/': 'what a person types, and what a terminal shows of one run',
  'execution/connection/interpreter-versions.ts': 'the first answer for each language',
  'execution/held/program-wait.ts': 'what this process tells when its program waits',
  'languages/schema/': 'schemas of tools, from their authors',
  'languages/stub-parameters.ts': 'the parameters of one tool, while it is described',
  'languages/type-check/compiler/compiler.ts': 'files of one check, in a process of its own',
  'mcp/client/':
    'tools of a server, bounded when they are listed, who follows them, and calls, of which few run at a time',
  'models/bedrock/media.ts': 'names of documents in one request',
  'orchestrator/code/': 'holds and languages, from your code',
  'orchestrator/hints/':
    'names of at most MOST_TOOLS tools, of at most MOST_OPEN calls, and digests of at most MOST_VALUES values',
  'orchestrator/files/':
    'files that your code gives, at most MOST_FILES within maxBytes; files of one run, up to MAX_RUN_BYTES',
  'orchestrator/conversation/': 'the conversation itself',
  'orchestrator/long-text/kept-text.ts': 'sandboxes that are open, within maxSandboxes',
  'orchestrator/store/file/file-store.ts': 'at most a thousand files',
  'orchestrator/store/stored-conversation.ts': 'the conversation itself',
  'orchestrator/turns/model-calls.ts': 'models, from options',
  'protocol/stream-transport.ts': 'streams, from the provider',
  'sandbox/provider-starts.ts': 'sandboxes that start, within maxSandboxes and pool',
  'providers/': 'sandboxes and their processes, within maxSandboxes and pool',
  'sandbox/software/': 'what is installed, asked before any program, of at most MOST_PLACES places',
  'sessions/': 'sessions and sandboxes, within maxSandboxes and pool, and their callers',
  'shared/async/any-signal.ts': 'signals, from options',
  'shared/async/fair-queue.ts': 'what waits in the places that use it, each of which is listed',
  'shared/async/serial-queue.ts': 'what waits in the queues that use it, each of which is listed',
  'shared/held-names/': 'keys that this process holds',
  'shared/sized-map.ts': 'as much as its user says, which is listed',
  'shared/json/': 'the place in one value that is being converted',
  'tools/': 'tools, rules and patterns, from their authors',
};
