import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/entry.ts';
import type { ExecutionEvent, ExecutionStatus } from '../../src/execution/execution.ts';
import type { ExecutorEvent } from '../../src/sessions/executor-watch.ts';

/** With these types, the compiler finds a name that is missing. */
const AUDIT_ENTRIES: Readonly<Record<AuditEntry['type'], true>> = {
  'session-opened': true,
  'session-closed': true,
  'program-started': true,
  'program-ended': true,
  'program-refused': true,
  'quota-exceeded': true,
  'tool-call-ended': true,
  'tool-call-denied': true,
  'approval-requested': true,
  'approval-decided': true,
};

const EVENTS: Readonly<Record<ExecutionEvent['type'] | ExecutorEvent['type'], true>> = {
  'output-delta': true,
  'tool-call-started': true,
  'approval-requested': true,
  'approval-decided': true,
  'tool-call-ended': true,
  'session-opened': true,
  'session-closed': true,
  'sandbox-started': true,
  'sandbox-resumed': true,
  'sandbox-failed': true,
  'request-queued': true,
};

const STATUSES: Readonly<Record<ExecutionStatus, true>> = {
  ok: true,
  error: true,
  timeout: true,
  cancelled: true,
  'memory-limit': true,
  'output-limit': true,
  'call-limit': true,
  'protocol-error': true,
  'sandbox-lost': true,
};

/** The code spans in one column of the first table below a heading. */
async function namesIn(heading: string, column: number): Promise<Set<string>> {
  const page = await readFile('docs/lifecycle.md', 'utf8');
  const [, section = ''] = page.split(`${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const cells = table.split('\n').map((row) => row.split('|')[column] ?? '');
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((span) => span[1]!)));
}

it('docs/lifecycle.md says at which step each event and audit entry is made', async () => {
  const steps = '# The life of a program';
  expect(await namesIn(steps, 4)).toEqual(new Set(Object.keys(EVENTS)));
  expect(await namesIn(steps, 5)).toEqual(new Set(Object.keys(AUDIT_ENTRIES)));
});

it('docs/lifecycle.md says what causes each status', async () => {
  const statuses = await namesIn('## How a running program ends', 1);
  expect(statuses).toEqual(new Set(Object.keys(STATUSES)));
});
