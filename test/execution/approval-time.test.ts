import { expect, it } from 'vitest';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeferred } from '../../src/shared/deferred.ts';
import { ApprovalQueue } from '../../src/tools/approval-queue.ts';
import { PolicyGate } from '../../src/tools/policy-gate.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-interpreter.ts';

const TIMEOUT_MS = 5000;
const APPROVAL_MS = 60_000;

/** A run whose calls of `add` wait for an approval, and the limits that its runner is given. */
function start(): ReturnType<typeof connect> & {
  readonly queue: ApprovalQueue;
  readonly running: Promise<unknown>;
  readonly limits: () => number[];
} {
  const queue = new ApprovalQueue();
  const policy = new PolicyGate(
    {
      rules: [{ tool: 'add', action: 'ask' }],
      approver: queue,
      approvalTimeoutMs: APPROVAL_MS,
    },
    [],
  );
  const connected = connect();
  const running = connected.interpreter.execute(request({ policy, timeoutMs: TIMEOUT_MS }));
  const limits = (): number[] =>
    connected.runner.received.flatMap((message) =>
      message.kind === 'extend' ? [message.time_limit_ms] : [],
    );
  return { ...connected, queue, running, limits };
}

it('a runner is told of the time that approvals may take, and of what is left when they are over', async () => {
  const { runner, queue, running, limits } = start();
  const answered = createDeferred<void>();
  let answers = 0;
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result' && (answers += 1) === 2) answered.resolve();
  };
  runner.say(toolCall('a', 'add', { x: 1 }), toolCall('b', 'add', { x: 2 }));
  const [first, second] = queue.pending;
  queue.approve(first?.id ?? '');
  queue.reject(second?.id ?? '', 'no');
  await answered.promise;
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
  // Two questions, an answer with a question still open, and the last answer.
  const waits = limits().map((limit) => limit > TIMEOUT_MS);
  expect(waits).toEqual([true, true, true, false]);
  for (const limit of limits()) {
    const leftMs = limit > TIMEOUT_MS ? limit - APPROVAL_MS : limit;
    expect(leftMs).toBeLessThanOrEqual(TIMEOUT_MS);
    expect(leftMs).toBeGreaterThan(TIMEOUT_MS - 2000);
  }
  const extended = runner.received.find(({ kind }) => kind === 'extend');
  expect(extended).toMatchObject({ execution_id: '1' });
});

it('a runner whose program ends with calls that wait is told nothing more', async () => {
  const { runner, queue, running, limits } = start();
  runner.say(toolCall('a', 'add', { x: 1 }));
  expect(queue.pending).toHaveLength(1);
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
  expect(queue.pending).toEqual([]);
  expect(limits()).toHaveLength(1);
});
