import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/entry.ts';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import type { ProgramRequest } from '../../src/execution/program-request.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

/** Whether the runner is asked for lines, when it runs such a program. */
async function asksFor(changes: Partial<ProgramRequest>): Promise<boolean> {
  const { runner, connection } = connect();
  const running = connection.execute(request(changes));
  const sent = runner.received.at(-1);
  runner.say(outcome());
  await running;
  expect(sent?.kind).toBe('execute');
  return sent !== undefined && 'tell_lines' in sent;
}

it('the runner is asked for the lines of calls only if somebody reads them', async () => {
  const audit = { record: () => {}, ready: () => undefined };
  expect(await asksFor({})).toBe(false);
  expect(await asksFor({ onEvent: () => {} })).toBe(true);
  expect(await asksFor({ audit })).toBe(true);
});

it('a call has in events and audit entries the line that the runner tells, and none without one', async () => {
  const { runner, connection } = connect();
  const events: ExecutionEvent[] = [];
  const entries: AuditEntry[] = [];
  const ended = createDeferred<void>();
  const running = connection.execute(
    request({
      audit: { record: (entry) => void entries.push(entry), ready: () => undefined },
      onEvent: (event) => {
        events.push(event);
        if (events.length === 4) ended.resolve();
      },
    }),
  );
  runner.say(Object.assign(toolCall('a', 'add', { x: 1 }), { line: 7 }));
  runner.say(toolCall('b', 'add', { x: 1 }));
  await ended.promise;
  runner.say(outcome());
  await running;
  const linesOf = (id: string, told: readonly object[]): readonly unknown[] =>
    told
      .filter((one) => 'callId' in one && one.callId === id)
      .map((one) => ('line' in one ? one.line : undefined));
  expect(linesOf('a', events)).toEqual([7, 7]);
  expect(linesOf('a', entries)).toEqual([7]);
  expect(linesOf('b', events)).toEqual([undefined, undefined]);
  expect(linesOf('b', entries)).toEqual([undefined]);
});
