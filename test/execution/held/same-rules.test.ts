import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CallLog } from '../../../src/calls/call-log.ts';
import type { ExecutionEvent } from '../../../src/execution/execution.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import { PolicyGate } from '../../../src/tools/policy/policy-gate.ts';
import { outcome, toolCall } from '../../support/fake-runner.ts';
import { startHeld, waiting } from './held-run.ts';

/** What is told of a call of a tool, without what is its own. */
async function traceOf(
  toolName: 'add' | 'look',
  action: 'allow' | 'ask' | 'deny',
): Promise<readonly unknown[]> {
  const trace: unknown[] = [];
  const note = (where: string, what: object): void => {
    const {
      type,
      decision,
      arguments: sent,
      result,
      outcome: ended,
    } = what as Record<string, unknown>;
    trace.push({ where, type, decision, sent, result, ended });
  };
  const queue = new ApprovalQueue();
  const policy = new PolicyGate({
    rules: [{ tool: toolName, action, reason: 'a reason' }],
    ...(action === 'ask' && { approver: queue }),
  });
  const callLog: CallLog = {
    started: async ({ argumentsText }) =>
      note('log', { type: 'started', arguments: argumentsText }),
    ended: async (_call, logged) =>
      note('log', { type: 'ended', result: logged.ok ? logged.result.text : logged.failure.type }),
  };
  const { runner, held } = startHeld({
    policy,
    callLog,
    onEvent: (event: ExecutionEvent) => note('event', event),
    audit: { record: (entry) => note('audit', entry), ready: () => undefined },
  });
  runner.say(toolCall('a', toolName, { x: 1 }));
  await nextTurn();
  if (action === 'ask') queue.approve(queue.pending[0]?.id ?? '', { arguments: { x: 4 } });
  await nextTurn();
  if (toolName === 'look' && action !== 'deny') {
    runner.say(waiting());
    const step = await held.next();
    const [call] = step.state === 'waiting' ? step.calls : [];
    held.answer('a', { result: Number(Object(call?.arguments)['x']) + 1 });
  }
  await nextTurn();
  note('program', runner.received.at(-1) ?? {});
  runner.say(outcome());
  await held.ended;
  return trace;
}

it.each(['allow', 'ask', 'deny'] as const)(
  'a remote call that the policy decides with %s has the events, audit entries and log of another',
  async (action) => {
    const remote = await traceOf('look', action);
    expect(remote.length).toBeGreaterThan(3);
    expect(remote).toEqual(await traceOf('add', action));
  },
);
