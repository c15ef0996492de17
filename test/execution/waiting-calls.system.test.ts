import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { ApprovalQueue } from '../../src/tools/policy/approval-queue.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { startTypeScript } from '../support/typescript-process.ts';
import { connect, request } from './fake-connection.ts';

const HOST = new URL('./flood-host.ts', import.meta.url);

/**
 * A process of its own with a heap in which the calls would not fit if they were all parsed: V8 then aborts it before
 * it prints a result. It is killed afterwards, because Node can hang when it exits with a heap that is nearly full:
 * https://github.com/nodejs/node/issues/54918.
 */
async function runFlood(waitsFor: string): Promise<unknown> {
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=48' };
  const host = startTypeScript({ file: HOST, args: [waitsFor], env });
  const ended = once(host, 'exit');
  onTestFinished(async () => {
    host.kill('SIGKILL');
    await ended;
  });
  for await (const line of createInterface({ input: host.stdout })) return JSON.parse(line);
  return ended;
}

// In a turn of the event loop that earlier tests have filled, calls would wait.
beforeEach(async () => nextTurn());

describe('calls that wait take no more memory than their frames', () => {
  it('until other tools have answered [host/waiting-memory, waiting/calls]', async () => {
    expect(await runFlood('tools')).toMatchObject({ status: 'ok', answers: 80 });
  });

  it('until others have been approved [host/waiting-memory, host/waiting-calls, waiting/approvals]', async () => {
    expect(await runFlood('approvals')).toMatchObject({ status: 'ok', answers: 80 });
  });

  it('until a listener has taken its events [host/waiting-calls, waiting/listener]', async () => {
    expect(await runFlood('listener')).toMatchObject({ status: 'ok', answers: 80, ran: 80 });
  });

  it('until the reader of a stream reads on [host/waiting-calls, waiting/stream]', async () => {
    expect(await runFlood('reader')).toMatchObject({ status: 'ok', answers: 80, ran: 80 });
  });

  it('until the audit log has room, also for their entries after the program [host/waiting-memory, host/waiting-calls, waiting/audit]', async () => {
    const result = { status: 'cancelled', answers: 80, ran: 0, recorded: ['list'] };
    expect(await runFlood('audit')).toEqual(result);
  });
});

interface Scene {
  readonly tools: ToolRegistry;
  /** What the tool got, in order. */
  readonly got: unknown[];
  readonly answerAll: () => void;
}

function holdingTool(): Scene {
  const got: unknown[] = [];
  const answer = createDeferred<void>();
  const hold = defineTool({
    name: 'hold',
    description: 'Answers when all may.',
    inputSchema: { type: 'object' },
    run: async (input: unknown) => {
      got.push(input);
      await answer.promise;
    },
  });
  return { tools: new ToolRegistry([hold]), got, answerAll: () => answer.resolve() };
}

const ARGUMENTS: readonly JsonObject[] = [
  { text: 'é\n"\u202e', list: [1, null, { deep: [-0.5] }] },
  { '1': 'b', '0': 'a', constructor: {} },
  { big: 'x'.repeat(70_000) },
  {},
];

describe('calls that waited', () => {
  it('get the arguments that were sent, in the order of their arrival, and have events in that order', async () => {
    const { tools, got, answerAll } = holdingTool();
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const events: ExecutionEvent[] = [];
    const onEvent = (event: ExecutionEvent): number => events.push(event);
    const running = connection.execute(request({ tools: tools.snapshot(), onEvent }));
    const done = createDeferred<void>();
    let answers = 0;
    runner.onMessage = (message: HostMessage) => {
      if (message.kind === 'tool-result' && (answers += 1) === ARGUMENTS.length) done.resolve();
    };
    runner.say(...ARGUMENTS.map((sent, index) => toolCall(`c${index}`, 'hold', sent)));
    expect(events).toMatchObject([{ type: 'tool-call-started', callId: 'c0' }]);
    answerAll();
    await done.promise;
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
    // JSON, since these objects have no prototype.
    expect(JSON.stringify(got)).toBe(JSON.stringify(ARGUMENTS));
    const told = events.flatMap((event) =>
      event.type === 'tool-call-started' ? [JSON.stringify(event.arguments)] : [],
    );
    expect(told).toEqual(ARGUMENTS.map((sent) => JSON.stringify(sent)));
  });

  it('are answered without having begun if their program ends first', async () => {
    const { tools, got } = holdingTool();
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const events: ExecutionEvent[] = [];
    const onEvent = (event: ExecutionEvent): number => events.push(event);
    const stop = new AbortController();
    const running = connection.execute(
      request({ tools: tools.snapshot(), onEvent, signal: stop.signal }),
    );
    const replies: HostMessage[] = [];
    const done = createDeferred<void>();
    runner.onMessage = (message: HostMessage) => {
      if (message.kind === 'tool-result' && replies.push(message) === 2) done.resolve();
    };
    runner.say(toolCall('a', 'hold'), toolCall('b', 'hold'));
    stop.abort();
    await done.promise;
    expect(replies).toMatchObject([
      { call_id: 'a', error: { type: 'Cancelled' } },
      { call_id: 'b', error: { type: 'Cancelled' } },
    ]);
    runner.say(outcome({ success: false }));
    expect(await running).toMatchObject({ status: 'cancelled', toolCalls: 2 });
    expect(got).toHaveLength(1);
    expect(events.map((event) => 'callId' in event && event.callId)).toEqual(['a', 'a']);
  });

  it('for an approval get the arguments that were sent, and release their permit meanwhile [waiting/approvals]', async () => {
    const { tools, got, answerAll } = holdingTool();
    tools.register({ name: 'look', description: 'Looks.', run: () => 'seen' });
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const queue = new ApprovalQueue();
    const policy = new PolicyGate({ rules: [{ tool: 'hold', action: 'ask' }], approver: queue });
    const running = connection.execute(request({ tools: tools.snapshot(), policy }));
    const looked = createDeferred<void>();
    const answered: string[] = [];
    runner.onMessage = (message: HostMessage) => {
      if (message.kind !== 'tool-result') return;
      answered.push(message.call_id);
      if (message.call_id === 'look') looked.resolve();
    };
    const sent = Array.from({ length: 30 }, (_, number) => ({ number }));
    runner.say(...sent.map((one) => toolCall(`c${one.number}`, 'hold', one)));
    runner.say(toolCall('look', 'look'));
    await looked.promise;
    expect(queue.pending).toHaveLength(10);
    expect(got).toEqual([]);
    answerAll();
    while (answered.length < 31) {
      for (const { id } of queue.pending) queue.approve(id);
      await new Promise((resolve) => setImmediate(resolve));
    }
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
    expect(got.map((input) => JSON.stringify(input))).toEqual(
      sent.map((one) => JSON.stringify(one)),
    );
  });
});

describe('a call that its program gave up while its tool ran', () => {
  it('releases its permit when the tool has ended', async () => {
    const { tools, got, answerAll } = holdingTool();
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const running = connection.execute(request({ tools: tools.snapshot() }));
    const answers: HostMessage[] = [];
    const done = createDeferred<void>();
    runner.onMessage = (message: HostMessage) => {
      if (message.kind === 'tool-result' && answers.push(message) === 2) done.resolve();
    };
    runner.say(
      toolCall('a', 'hold'),
      { kind: 'call-given-up', execution_id: '1', call_id: 'a' },
      toolCall('b', 'hold'),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(got).toHaveLength(1);
    answerAll();
    await done.promise;
    expect(got).toHaveLength(2);
    expect(answers).toMatchObject([
      { call_id: 'a', error: { type: 'Cancelled' } },
      { call_id: 'b', error: null },
    ]);
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
  });

  it('releases it after the time limit of the tool', async () => {
    const got: unknown[] = [];
    const never = defineTool({
      name: 'never',
      description: 'Never answers.',
      timeoutMs: 1,
      run: async () => {
        got.push('began');
        await new Promise(() => {});
      },
    });
    const tools = new ToolRegistry([never]).snapshot();
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const running = connection.execute(request({ tools }));
    const done = createDeferred<void>();
    runner.onMessage = (message: HostMessage) => {
      if (message.kind === 'tool-result' && message.call_id === 'b') done.resolve();
    };
    runner.say(
      toolCall('a', 'never'),
      { kind: 'call-given-up', execution_id: '1', call_id: 'a' },
      toolCall('b', 'never'),
    );
    await done.promise;
    expect(got).toHaveLength(2);
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
  });
});
