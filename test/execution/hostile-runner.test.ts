import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { attached, configured, handedBack, outcome } from '../support/fake-runner.ts';
import { printed, ready, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

describe('a program on a hostile runner', () => {
  it('that uses the id of a call twice loses the sandbox [case 74]', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(toolCall('a', 'add', { x: 1 }), toolCall('a', 'add', { x: 1 }));
    expect(await running).toMatchObject({
      status: 'protocol-error',
      error: { type: 'ProtocolViolation', message: expect.stringContaining('twice') },
      sessionOpen: false,
      toolCalls: 1,
    });
    expect(runner.destroyed).toBe(true);
  });

  it('may use an id again in its next program', async () => {
    const { runner, connection } = connect();
    const first = connection.execute(request());
    runner.say(toolCall('a', 'add', { x: 1 }), outcome());
    await first;
    const second = connection.execute(request());
    runner.say(toolCall('a', 'add', { x: 1 }, '2'), outcome({ execution_id: '2' }));
    expect(await second).toMatchObject({ status: 'ok', toolCalls: 1 });
  });

  it('that returns two values loses the sandbox, and has no value', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(handedBack(null), handedBack(2), outcome());
    expect(await running).toMatchObject({
      status: 'protocol-error',
      value: undefined,
      error: { message: expect.stringContaining('two values') },
      sessionOpen: false,
    });
    expect(runner.destroyed).toBe(true);
  });

  it('that returns a value and ends without an outcome has no value', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(handedBack(1));
    runner.end();
    expect(await running).toMatchObject({ status: 'sandbox-lost', value: undefined });
  });

  it('may return one value for each program, before its outcome', async () => {
    const { runner, connection } = connect();
    for (const id of ['1', '2']) {
      const running = connection.execute(request());
      runner.say(handedBack(`of ${id}`, id), outcome({ execution_id: id }));
      runner.say(handedBack('late', id));
      expect(await running).toMatchObject({ status: 'ok', value: `of ${id}` });
    }
  });

  it('that prints more than its limit loses the sandbox and keeps what came before [waiting/output]', async () => {
    const { runner, connection } = connect({ maxOutputBytes: 10 });
    const running = connection.execute(request());
    runner.say(printed('12345'), printed('678901'));
    expect(await running).toMatchObject({
      status: 'protocol-error',
      stdout: '12345',
      error: { message: expect.stringContaining('limit of 10 bytes') },
    });
    expect(runner.destroyed).toBe(true);
  });

  it('is not affected by calls, output and outcomes of earlier programs [case 76]', async () => {
    const { runner, connection } = connect();
    const first = connection.execute(request());
    runner.say(outcome());
    await first;
    const events: ExecutionEvent[] = [];
    const running = connection.execute(request({ onEvent: (event) => events.push(event) }));
    runner.say(toolCall('x', 'add', { x: 1 }), printed('not mine'), outcome({ success: false }));
    runner.say(printed('mine', '2'), outcome({ execution_id: '2' }));
    expect(await running).toMatchObject({ status: 'ok', stdout: 'mine', toolCalls: 0 });
    expect(events).toHaveLength(1);
  });

  it.each(['0.5', '2', '', '-1', '__proto__', '1e0', ' 1', '9'.repeat(400)])(
    'that speaks of an execution %j, which it was never given, loses the sandbox [host/frame-fields]',
    async (id) => {
      for (const message of [toolCall('x', 'add', { x: 1 }, id), printed('a', id)]) {
        const { runner, connection } = connect();
        const running = connection.execute(request());
        runner.say(message, outcome());
        expect(await running).toMatchObject({ status: 'protocol-error', stdout: '', toolCalls: 0 });
        expect(runner.destroyed).toBe(true);
      }
    },
  );

  it.each([
    ['is ready twice', [ready(), ready()]],
    ['was configured unasked', [ready(), configured('20.1.0')]],
    ['was attached unasked', [ready(), attached()]],
    ['gives an outcome before any run', [ready(), outcome()]],
    ['calls a tool before any run', [ready(), toolCall('x', 'add')]],
    ['prints before any run', [ready(), printed('early')]],
    ['hands back a value before any run', [ready(), handedBack(1)]],
  ])('that %s loses the sandbox [host/frame-fields]', async (_, messages) => {
    const { runner, connection } = connect();
    runner.say(...messages);
    expect(runner.destroyed).toBe(true);
    expect(connection.open).toBe(false);
    expect(await connection.execute(request())).toMatchObject({ status: 'protocol-error' });
  });

  it('whose messages are about a program that has ended is ignored [case 75]', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(outcome());
    await running;
    runner.say(printed('late'), toolCall('y', 'add'), handedBack(1), outcome({ success: false }));
    const next = connection.execute(request());
    runner.say(outcome({ execution_id: '2' }));
    expect(await next).toMatchObject({ status: 'ok', stdout: '', toolCalls: 0, value: undefined });
    expect(runner.received.filter(({ kind }) => kind === 'tool-result')).toEqual([]);
  });

  it('whose messages about an ended program never stop loses the sandbox [waiting/stale-messages]', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(outcome());
    await running;
    const late = printed('x'.repeat(1_000_000));
    for (let megabyte = 0; megabyte < 70; megabyte += 1) runner.say(late);
    expect(runner.destroyed).toBe(true);
    expect(connection.open).toBe(false);
  });

  it('that claims success and an end of its interpreter counts as the worse of the two', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(outcome({ success: true, interpreter_end: { reason: 'exit', status: 0 } }));
    expect(await running).toMatchObject({ status: 'sandbox-lost', success: false, exitCode: 1 });
    expect(runner.destroyed).toBe(true);
  });

  it('that fails without a reason, with exit code 0, has failed all the same', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(outcome({ success: false }));
    expect(await running).toMatchObject({
      status: 'error',
      exitCode: 1,
      error: { type: 'UnknownError' },
    });
  });

  it('that calls a tool that it must not call gets a refusal, and the program continues', async () => {
    const { runner, connection } = connect();
    const answers = createDeferred<void>();
    runner.onMessage = () => {
      if (runner.received.filter(({ kind }) => kind === 'tool-result').length === 4)
        answers.resolve();
    };
    const running = connection.execute(request());
    runner.say(
      toolCall('1', 'secret'),
      toolCall('2', 'constructor'),
      toolCall('3', 'add', { x: 'text' }),
      toolCall('4', 'add', { x: 1 }),
    );
    await answers.promise;
    runner.say(outcome());
    expect((await running).toolCalls).toBe(4);
    expect(
      runner.received.flatMap((message) =>
        message.kind === 'tool-result'
          ? [[message.call_id, message.error?.type ?? message.result.text]]
          : [],
      ),
    ).toEqual(
      expect.arrayContaining([
        ['1', 'NotAllowed'],
        ['2', 'UnknownTool'],
        ['3', 'InvalidArguments'],
        ['4', '2'],
      ]),
    );
  });

  it('that gives up a call which it never made loses the sandbox [host/frame-fields]', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say({ kind: 'call-given-up', execution_id: '1', call_id: 'a' });
    expect(await running).toMatchObject({ status: 'protocol-error', sessionOpen: false });
  });

  it('that ends during the program is lost, with the reason', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request());
    runner.say(printed('so far'));
    runner.end(new Error('killed for its memory'));
    expect(await running).toMatchObject({
      status: 'sandbox-lost',
      stdout: 'so far',
      error: { type: 'SandboxLost', message: 'killed for its memory' },
    });
  });

  it('that ended before the program is lost at once', async () => {
    const { runner, connection } = connect();
    runner.end();
    expect(await connection.execute(request())).toMatchObject({ status: 'sandbox-lost' });
  });

  it('that ends a program while its tool runs gets no result any more', async () => {
    const { runner, connection } = connect();
    const signals: AbortSignal[] = [];
    const entered = createDeferred<void>();
    const release = createDeferred<void>();
    const slow = new ToolRegistry([
      defineTool({
        name: 'slow',
        description: 'Ignores its signal.',
        run: async (_input, context) => {
          signals.push(context.signal);
          entered.resolve();
          await release.promise;
          return 'late';
        },
      }),
    ]);
    const running = connection.execute(request({ tools: slow.snapshot() }));
    runner.say(toolCall('1', 'slow'));
    await entered.promise;
    runner.say(outcome());
    await running;
    expect(signals[0]?.aborted).toBe(true);
    release.resolve();
    await nextTick();
    expect(runner.received.map(({ kind }) => kind)).toEqual(['execute']);
  });
});

describe('a listener of a program', () => {
  it('that throws ends neither the program nor the host, and causes a warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { runner, connection } = connect();
    const running = connection.execute(
      request({
        onEvent: () => {
          throw new Error('listener bug');
        },
      }),
    );
    runner.say(printed('a'), toolCall('1', 'add', { x: 1 }), printed('b'), outcome());
    expect(await running).toMatchObject({ status: 'ok', stdout: 'ab', toolCalls: 1 });
    await expect
      .poll(() => warned.mock.calls.flat())
      .toContainEqual(expect.stringContaining('listener bug'));
    warned.mockRestore();
  });
});
