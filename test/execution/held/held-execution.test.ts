import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inBackground } from '../../../src/shared/async/background.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import { PolicyGate } from '../../../src/tools/policy/policy-gate.ts';
import type { HeldCall } from '../../../src/execution/held/held-program.ts';
import { refusalOf } from '../../orchestrator/support.ts';
import type { FakeRunner } from '../../support/fake-runner.ts';
import { outcome, printed, toolCall } from '../../support/fake-runner.ts';
import { connect, request } from '../fake-connection.ts';
import { startHeld, tools, waiting, type HeldRun } from './held-run.ts';

/** A program that waits for the call `a`. */
async function startWaiting(): Promise<HeldRun & { readonly calls: readonly HeldCall[] }> {
  const run = startHeld();
  run.runner.say(toolCall('a', 'look', { x: 1 }), waiting());
  const step = await run.held.next();
  return { ...run, calls: step.state === 'waiting' ? step.calls : [] };
}

function results({ received }: FakeRunner): unknown[] {
  return received.flatMap((message) => (message.kind === 'tool-result' ? [message] : []));
}

const notOpen = expect.objectContaining({ code: 'CALL_NOT_OPEN' });
const invalid = expect.objectContaining({ code: 'OPTION_INVALID' });

describe('a held program', () => {
  it('is asked to tell when it waits, and one that is not held is not', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    expect(runner.received.at(-1)).not.toHaveProperty('tell_waiting');
    runner.say(outcome());
    await running;
    const held = startHeld();
    expect(held.runner.received.at(-1)).toMatchObject({ kind: 'execute', tell_waiting: true });
    held.runner.say(outcome());
    await held.held.ended;
  });

  it('gets the answer to its call', async () => {
    const { runner, held, calls } = await startWaiting();
    expect(calls).toEqual([
      { callId: 'a', toolName: 'look', arguments: { x: 1 }, expiresAtMs: expect.any(Number) },
    ]);
    held.answer('a', { result: { found: [1] } });
    await nextTurn();
    expect(results(runner)).toMatchObject([
      { call_id: 'a', error: null, result: { text: '{"found":[1]}' } },
    ]);
    runner.say(outcome());
    expect(await held.ended).toMatchObject({ status: 'ok', toolCalls: 1 });
  });

  it.each([[{ error: 'no such page' }], [{ error: 'no such page', result: undefined }]])(
    'gets the error with which its call is answered: %j',
    async (answer) => {
      const { runner, held } = await startWaiting();
      held.answer('a', answer);
      await nextTurn();
      expect(results(runner)).toMatchObject([
        { error: { type: 'Failed', message: 'no such page' } },
      ]);
      runner.say(outcome());
      await held.ended;
    },
  );

  it.each([
    ['neither a result nor an error', {}],
    ['both', { result: 1, error: 'no' }],
    ['another name', { value: 1 }],
    ['an error that is not text', { error: 5 }],
    ['a text', 'no'],
  ])('keeps its call open after an answer with %s', async (_, answer) => {
    const { runner, held } = await startWaiting();
    expect(() => held.answer('a', answer as never)).toThrow(invalid);
    held.answer('a', { result: null });
    runner.say(outcome());
    await held.ended;
  });

  it('keeps its call open after a result that is not JSON', async () => {
    const { runner, held } = await startWaiting();
    const circular: unknown[] = [];
    circular.push(circular);
    for (const result of [10n, circular, { at: Number.NaN }, new Map()]) {
      expect(() => held.answer('a', { result })).toThrow(
        expect.objectContaining({ code: 'VALUE_NOT_JSON' }),
      );
    }
    held.answer('a', { result: undefined });
    await nextTurn();
    expect(results(runner)).toMatchObject([{ result: { text: 'null' } }]);
    runner.say(outcome());
    await held.ended;
  });

  it('takes one answer to a call, and none to a call that it has not made', async () => {
    const { runner, held } = await startWaiting();
    expect(() => held.answer('b', { result: 1 })).toThrow(notOpen);
    expect(() => held.answer('__proto__', { result: 1 })).toThrow(notOpen);
    expect(() => held.answer(undefined as unknown as string, { result: 1 })).toThrow(notOpen);
    expect(() => held.answer(7n as unknown as string, { result: 1 })).toThrow(notOpen);
    held.answer('a', { result: 1 });
    expect(() => held.answer('a', { result: 2 })).toThrow(/it was answered/);
    await nextTurn();
    expect(results(runner)).toHaveLength(1);
    runner.say(outcome());
    await held.ended;
    expect(() => held.answer('a', { result: 2 })).toThrow(notOpen);
  });

  it('takes no answer to a call that it has given up, or after its end', async () => {
    const { runner, held } = await startWaiting();
    runner.say(toolCall('b', 'look', { x: 2 }), waiting());
    await held.next();
    runner.say({ kind: 'call-given-up', execution_id: '1', call_id: 'a' });
    expect(() => held.answer('a', { result: 1 })).toThrow(notOpen);
    runner.say(outcome());
    expect(() => held.answer('b', { result: 1 })).toThrow(notOpen);
    expect(await held.next()).toMatchObject({ state: 'ended', result: { status: 'ok' } });
    expect(await held.next()).toMatchObject({ state: 'ended' });
    expect(held.status).toBe('ended');
  });

  it('reports nothing twice: the next report comes when it has gone on', async () => {
    const { runner, held } = await startWaiting();
    const next = held.next();
    let isSettled = false;
    inBackground(next.then(() => void (isSettled = true)));
    await nextTurn();
    expect(isSettled).toBe(false);
    runner.say(toolCall('b', 'look', { x: 2 }), waiting());
    expect(await next).toMatchObject({ calls: [{ callId: 'a' }, { callId: 'b' }] });
    runner.say(outcome());
    await held.ended;
  });

  it('reports the calls of one wait together, also if one takes longer to be checked', async () => {
    const { runner, held } = startHeld();
    const large = { x: 2, text: 'x'.repeat(200_000) };
    runner.say(toolCall('a', 'look', { x: 1 }), toolCall('b', 'look', large), waiting());
    expect(held.status).toBe('running');
    expect(await held.next()).toMatchObject({ calls: [{ callId: 'a' }, { callId: 'b' }] });
    runner.say(outcome());
    await held.ended;
  });

  it('loses nothing when a wait for it is aborted', async () => {
    const { runner, held } = startHeld();
    const abort = new AbortController();
    const next = held.next({ signal: abort.signal });
    abort.abort(new Error('not now'));
    runner.say(toolCall('a', 'look', { x: 1 }), waiting());
    await expect(next).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'not now' } });
    await expect(held.next({ signal: abort.signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await held.next()).toMatchObject({ state: 'waiting', calls: [{ callId: 'a' }] });
    runner.say(outcome());
    await held.ended;
  });

  it('has one wait at a time', async () => {
    const { runner, held } = startHeld();
    const next = held.next();
    await expect(held.next()).rejects.toMatchObject({ code: 'NEXT_PENDING' });
    runner.say(outcome());
    expect(await next).toMatchObject({ state: 'ended' });
  });

  it('has another wait as soon as the signal of the one before fires', async () => {
    const { runner, held } = startHeld();
    const abort = new AbortController();
    const first = refusalOf(held.next({ signal: abort.signal }));
    await nextTurn();
    abort.abort();
    const second = held.next();
    expect(await refusalOf(held.next())).toMatchObject({ code: 'NEXT_PENDING' });
    expect(await first).toMatchObject({ code: 'ABORTED' });
    expect(await refusalOf(held.next())).toMatchObject({ code: 'NEXT_PENDING' });
    runner.say(toolCall('a', 'look', { x: 1 }), waiting());
    expect(await second).toMatchObject({ state: 'waiting', calls: [{ callId: 'a' }] });
    runner.say(outcome());
    expect(await held.next()).toMatchObject({ state: 'ended' });
  });

  it('refuses options that do not exist', async () => {
    const { runner, held } = startHeld();
    await expect(held.next({ timeout: 1 } as never)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    expect(() => held.output({ from: 1 } as never)).toThrow(invalid);
    expect(() => held.output({ since: { stdout: -1, stderr: 0 } })).toThrow(invalid);
    expect(() => held.output({ since: { stdout: 1 } as never })).toThrow(invalid);
    runner.say(outcome());
    await held.ended;
  });

  it('shows what it printed since a look at it', async () => {
    const { runner, held } = startHeld();
    runner.say(printed('one\n'));
    const first = held.output();
    expect(first).toEqual({ stdout: 'one\n', stderr: '', cursor: { stdout: 4, stderr: 0 } });
    runner.say(printed('two\n'));
    const since = JSON.parse(JSON.stringify(first.cursor)) as typeof first.cursor;
    expect(held.output({ since }).stdout).toBe('two\n');
    expect(held.output({ since: { stdout: 999, stderr: 999 } }).stdout).toBe('');
    runner.say(outcome({ value: '7' }));
    await held.ended;
    expect(held.output({ since }).stdout).toBe('two\n7\n');
  });

  it('can be cancelled while it waits, and at its end that changes nothing', async () => {
    const { runner, held } = await startWaiting();
    const cancelled = held.cancel();
    expect(runner.received.at(-1)).toMatchObject({ kind: 'cancel' });
    expect(() => held.answer('a', { result: 1 })).toThrow(notOpen);
    runner.say(outcome({ success: false }));
    expect(await cancelled).toMatchObject({ status: 'cancelled' });
    expect(await held.cancel()).toMatchObject({ status: 'cancelled' });
    expect(runner.received.filter(({ kind }) => kind === 'cancel')).toHaveLength(1);
  });

  it('is not held up by calls that the host carries out, nor holds them up', async () => {
    const { runner, held } = startHeld({}, { concurrentToolCalls: 1 });
    const open = Array.from({ length: 50 }, (_, index) =>
      toolCall(`r${index}`, 'look', { x: index }),
    );
    runner.say(...open, toolCall('h', 'add', { x: 1 }));
    const answered = { call_id: 'h', result: { text: '2' } };
    await expect.poll(() => results(runner)).toMatchObject([answered]);
    runner.say(waiting(1));
    expect(await held.next()).toMatchObject({ calls: { length: 50 } });
    runner.say(outcome());
    await held.ended;
  });

  it('reports a call that an approver allows while it waits, with the arguments that were approved', async () => {
    const queue = new ApprovalQueue();
    const policy = new PolicyGate({ rules: [{ tool: 'look', action: 'ask' }], approver: queue });
    const { runner, held } = startHeld({ policy });
    runner.say(toolCall('a', 'look', { x: 1 }), waiting());
    const next = held.next();
    expect(held.status).toBe('running');
    expect(() => held.answer('a', { result: 1 })).toThrow(notOpen);
    queue.approve(queue.pending[0]?.id ?? '', { arguments: { x: 5 } });
    expect(await next).toMatchObject({ calls: [{ callId: 'a', arguments: { x: 5 } }] });
    runner.say(outcome());
    await held.ended;
  });

  it('keeps the arguments that a program chose as plain data, however often they are read', async () => {
    const { runner, held } = startHeld();
    runner.say(toolCall('a', 'look', { x: 1, constructor: { prototype: 1 } }), waiting());
    const step = await held.next();
    const [call] = step.state === 'waiting' ? step.calls : [];
    expect(Object.getPrototypeOf(call?.arguments)).toBe(null);
    expect(call?.arguments).not.toBe(call?.arguments);
    runner.say(outcome());
    await held.ended;
  });
});

it('a remote call of a program that is not held fails in the program', async () => {
  const { runner, connection } = connect();
  const running = connection.execute(request({ tools: tools.snapshot() }));
  runner.say(toolCall('a', 'look', { x: 1 }));
  await nextTurn();
  expect(results(runner)).toMatchObject([{ error: { type: 'NotAllowed' } }]);
  runner.say(outcome());
  await running;
});
