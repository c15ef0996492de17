import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/entry.ts';
import type { LogRecord } from '../../src/audit/record.ts';
import type { ExecutionEvent, ExecutionStatus } from '../../src/execution/execution.ts';
import type { CodeEvent } from '../../src/orchestrator/code/code-event.ts';
import type { RunEvent } from '../../src/orchestrator/events/run-events.ts';
import type { ExecutorEvent } from '../../src/sessions/executor-watch.ts';

type Names<Name extends string> = Readonly<Record<Name, true>>;

/** With these types, the compiler finds a name that is missing. */
const EXECUTION_EVENTS: Names<ExecutionEvent['type']> = {
  'output-delta': true,
  'program-reported': true,
  'tool-call-started': true,
  'approval-requested': true,
  'approval-decided': true,
  'approval-granted': true,
  'tool-call-deferred': true,
  'tool-call-progressed': true,
  'tool-call-ended': true,
};

const CODE_EVENTS: Names<CodeEvent['type']> = {
  ...EXECUTION_EVENTS,
  'session-opened': true,
  'program-started': true,
  'program-yielded': true,
  'program-ended': true,
};

const RUN_EVENTS: Names<RunEvent['type']> = {
  ...CODE_EVENTS,
  'run-started': true,
  'turn-started': true,
  'text-delta': true,
  'thinking-delta': true,
  'tool-input-delta': true,
  'answer-discarded': true,
  'model-retry-scheduled': true,
  'context-compacted': true,
  'turn-ended': true,
  'session-closed': true,
  'run-ended': true,
  'run-failed': true,
};

const EXECUTOR_EVENTS: Names<ExecutorEvent['type']> = {
  'session-opened': true,
  'session-closed': true,
  'sandbox-started': true,
  'sandbox-resumed': true,
  'sandbox-failed': true,
  'request-queued': true,
};

const AUDIT_ENTRIES: Names<AuditEntry['type']> = {
  'session-opened': true,
  'session-closed': true,
  'program-started': true,
  'program-ended': true,
  'program-refused': true,
  'quota-exceeded': true,
  'tool-call-ended': true,
  'tool-call-denied': true,
  'tool-call-deferred': true,
  'approval-requested': true,
  'approval-decided': true,
  'approval-granted': true,
};

const LOG_RECORDS: Names<LogRecord['type']> = {
  'log-opened': true,
  'log-rotated': true,
  'log-closed': true,
  'entries-dropped': true,
};

const STATUSES: Readonly<Record<ExecutionStatus, true>> = {
  ok: true,
  error: true,
  timeout: true,
  cancelled: true,
  'memory-limit': true,
  'budget-exceeded': true,
  'protocol-error': true,
  'sandbox-lost': true,
};

/** The rows of the first table below a heading. */
async function rowsIn(heading: string): Promise<readonly string[][]> {
  const page = await readFile('docs/lifecycle.md', 'utf8');
  const [, section = ''] = page.split(`${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  return table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
}

/** The code spans in one column of the first table below a heading. */
async function namesIn(heading: string, column: number): Promise<Set<string>> {
  const cells = (await rowsIn(heading)).map((row) => row[column] ?? '');
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((span) => span[1]!)));
}

it('docs/lifecycle.md says at which step each event and audit entry is made', async () => {
  const steps = '# The life of a program';
  expect(await namesIn(steps, 4)).toEqual(
    new Set(Object.keys({ ...EXECUTION_EVENTS, ...EXECUTOR_EVENTS })),
  );
  expect(await namesIn(steps, 5)).toEqual(new Set(Object.keys(AUDIT_ENTRIES)));
});

it.each([
  ['ExecutionEvent', 2, EXECUTION_EVENTS],
  ['CodeEvent', 3, CODE_EVENTS],
  ['RunEvent', 4, RUN_EVENTS],
  ['ExecutorEvent', 5, EXECUTOR_EVENTS],
  ['audit log', 6, { ...AUDIT_ENTRIES, ...LOG_RECORDS }],
])('docs/lifecycle.md lists the names of each %s, by one rule', async (_, column, expected) => {
  const rows = (await rowsIn('## Names of events')).filter((row) => row[column] === 'yes');
  const names = rows.map(([, name = '']) => name.replaceAll('`', ''));
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*-(?:delta|[a-z]+ed)$/);
});

it('docs/lifecycle.md says what causes each status', async () => {
  const statuses = await namesIn('## How a running program ends', 1);
  expect(statuses).toEqual(new Set(Object.keys(STATUSES)));
});
