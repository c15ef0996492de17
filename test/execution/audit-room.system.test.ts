import { execFile } from 'node:child_process';
import { open as openFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import type { AuditEntry, AuditSink } from '../../src/audit/entry.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { open, readLog, readUntilClosed, temporaryPath } from '../audit/support.ts';
import { connect, request } from './fake-connection.ts';

/** A log that is full until it is told otherwise. */
function fullLog(): {
  readonly sink: AuditSink;
  readonly entries: string[];
  readonly empty: () => void;
} {
  const room = createDeferred<void>();
  let full = true;
  const entries: string[] = [];
  return {
    entries,
    sink: {
      record: (entry: AuditEntry) => void entries.push(entry.type),
      ready: () => (full ? room.promise : undefined),
    },
    empty: () => {
      full = false;
      room.resolve();
    },
  };
}

function countingTools(): { readonly tools: ToolRegistry; readonly ran: unknown[] } {
  const ran: unknown[] = [];
  const run = (input: unknown): string => {
    ran.push(input);
    return 'done';
  };
  return { ran, tools: new ToolRegistry([defineTool({ name: 'act', description: 'Acts.', run })]) };
}

/** Lets everything happen that waits for nothing. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

it('a tool does not run, and no call is answered, while the audit log is full [host/audit-complete, waiting/audit]', async () => {
  const { runner, connection } = connect();
  const { sink, entries, empty } = fullLog();
  const { tools, ran } = countingTools();
  const running = connection.execute(request({ audit: sink, tools: tools.snapshot() }));
  const results: string[] = [];
  const answered = createDeferred<void>();
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result') results.push(message.call_id);
    if (results.length === 2) answered.resolve();
  };
  runner.say(toolCall('a', 'act'), toolCall('b', 'no such tool'));
  await nextTurn();
  expect(ran).toEqual([]);
  expect(results).toEqual([]);
  empty();
  await answered.promise;
  expect(ran).toHaveLength(1);
  expect(results.toSorted()).toEqual(['a', 'b']);
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
  expect(entries).toEqual([
    'program-started',
    'tool-call-ended',
    'tool-call-ended',
    'program-ended',
  ]);
});

it('a call that waits for the audit log ends with its program, and its tool does not run', async () => {
  const { runner, connection } = connect();
  const { sink, entries, empty } = fullLog();
  const { tools, ran } = countingTools();
  const stop = new AbortController();
  const running = connection.execute(
    request({ audit: sink, tools: tools.snapshot(), signal: stop.signal }),
  );
  const answered = createDeferred<HostMessage>();
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result') answered.resolve(message);
  };
  runner.say(toolCall('a', 'act'));
  await nextTurn();
  stop.abort();
  expect(await answered.promise).toMatchObject({ error: { type: 'Cancelled' } });
  runner.say(outcome({ success: false }));
  await nextTurn();
  empty();
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect(ran).toEqual([]);
  expect(entries).toEqual(['program-started', 'tool-call-ended', 'program-ended']);
});

it('an aborted program returns while its log hangs, and its entries are written when the log continues', async () => {
  const path = await temporaryPath();
  await promisify(execFile)('mkfifo', [path]);
  // Else the log gives the file up after ten seconds, and drops what there is no room for.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = await open({ path });
  for (let index = 0; index < 3000; index += 1) {
    log.record({ type: 'session-closed', sessionId: '\u0001'.repeat(1024), reason: 'closed' });
  }
  const stop = new AbortController();
  const { runner, connection } = connect();
  const running = connection.execute(request({ audit: log, signal: stop.signal }));
  runner.say(toolCall('a', 'add', { x: 1 }));
  const ended = running.then(() => 'ended');
  const isReady = log.ready()?.then(() => 'ready');
  stop.abort();
  runner.say(outcome({ success: false }));
  expect(await Promise.race([isReady, ended])).toBe('ended');
  expect(await running).toMatchObject({ status: 'cancelled' });
  const pipe = await openFile(path, 'r+');
  onTestFinished(() => pipe.close());
  const closing = log.close();
  const text = await readUntilClosed(pipe);
  await closing;
  const types = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
    .filter((type) => type !== 'session-closed');
  // A call under way when its run ends has its line after that of the run.
  expect(types).toEqual([
    'log-opened',
    'program-started',
    'program-ended',
    'tool-call-ended',
    'log-closed',
  ]);
});

it('each call of a flood has a line in the audit log [host/audit-complete]', async () => {
  const count = 3000;
  const path = await temporaryPath();
  const log = await open({ path, maxFileBytes: 2 ** 30 });
  const { runner, connection } = connect({ budgets: { toolCalls: count } });
  const { tools, ran } = countingTools();
  const running = connection.execute(
    request({ audit: log, tools: tools.snapshot(), timeoutMs: 100_000 }),
  );
  let results = 0;
  const answered = createDeferred<void>();
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result' && (results += 1) === count) answered.resolve();
  };
  // Names that take much room in a line, and in their midst the call that they are to hide.
  const calls = Array.from({ length: count }, (_, index) =>
    index === 2500 ? toolCall('paid', 'act') : toolCall(`c${index}`, '\u0001'.repeat(1024)),
  );
  runner.say(...calls);
  await answered.promise;
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok', toolCalls: count });
  await log.close();
  expect(ran).toHaveLength(1);
  const lines = await readLog(path);
  expect(lines.filter(({ type }) => type === 'tool-call-ended')).toHaveLength(count);
  expect(lines.filter(({ toolName }) => toolName === 'act')).toMatchObject([{ outcome: 'ok' }]);
  expect(lines.filter(({ type }) => type === 'entries-dropped')).toEqual([]);
});
