import { expect, it, vi } from 'vitest';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

/** A tool that keeps what it was called with. */
function recordingTools(): { readonly tools: ToolRegistry; readonly got: unknown[] } {
  const got: unknown[] = [];
  const run = (input: unknown): string => {
    got.push(input);
    return 'done';
  };
  const inputSchema = { type: 'object' } as const;
  const act = defineTool({ name: 'act', description: 'Acts.', inputSchema, run });
  return { got, tools: new ToolRegistry([act]) };
}

/** Lets everything happen that waits for nothing. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

it('no tool runs and no call is answered until the listener has taken the events before [waiting/listener]', async () => {
  const { runner, connection } = connect();
  const { tools, got } = recordingTools();
  const taken = createDeferred<void>();
  const onEvent = async ({ type }: ExecutionEvent): Promise<void> => {
    if (type === 'tool-call-started') await taken.promise;
  };
  const running = connection.execute(request({ tools: tools.snapshot(), onEvent }));
  const answered: string[] = [];
  const allAnswered = createDeferred<void>();
  runner.onMessage = (message: HostMessage) => {
    if (message.kind === 'tool-result') answered.push(message.call_id);
    if (answered.length === 2) allAnswered.resolve();
  };
  runner.say(toolCall('a', 'act'), toolCall('b', 'no such tool'));
  await nextTurn();
  expect(got).toEqual([]);
  expect(answered).toEqual([]);
  taken.resolve();
  await allAnswered.promise;
  expect(got).toHaveLength(1);
  expect(answered.toSorted()).toEqual(['a', 'b']);
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
});

it('a call that waits for the listener ends with its program, and its tool does not run', async () => {
  const { runner, connection } = connect();
  const { tools, got } = recordingTools();
  const stop = new AbortController();
  const never = createDeferred<void>();
  const running = connection.execute(
    request({ tools: tools.snapshot(), signal: stop.signal, onEvent: async () => never.promise }),
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
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect(got).toEqual([]);
});

it('a listener that rejects is warned of, and calls go on', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  try {
    const { runner, connection } = connect();
    const { tools, got } = recordingTools();
    const onEvent = async (): Promise<void> => {
      throw new Error('it is broken');
    };
    const running = connection.execute(request({ tools: tools.snapshot(), onEvent }));
    const answered = createDeferred<void>();
    runner.onMessage = ({ kind }: HostMessage) => {
      if (kind === 'tool-result') answered.resolve();
    };
    runner.say(toolCall('a', 'act'));
    await answered.promise;
    expect(got).toHaveLength(1);
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
    expect(String(warned.mock.calls[0]?.[0])).toContain('it is broken');
  } finally {
    warned.mockRestore();
  }
});

it('a listener that changes the arguments of its events changes nothing for the tool or the approver', async () => {
  const { runner, connection } = connect();
  const { tools, got } = recordingTools();
  const asked: unknown[] = [];
  const policy = new PolicyGate({
    rules: [{ tool: 'act', action: 'ask' }],
    approver: async ({ arguments: sent }) => {
      asked.push(sent);
      return { approved: true };
    },
  });
  const onEvent = (event: ExecutionEvent): void => {
    if (!('arguments' in event)) return;
    const { card } = event.arguments as { card: { number: string } };
    card.number = '****';
  };
  const answered = createDeferred<void>();
  runner.onMessage = ({ kind }) => {
    if (kind === 'tool-result') answered.resolve();
  };
  const running = connection.execute(request({ tools: tools.snapshot(), policy, onEvent }));
  runner.say(toolCall('a', 'act', { card: { number: '4242' } }));
  await answered.promise;
  runner.say(outcome());
  await running;
  expect(asked).toEqual([{ card: { number: '4242' } }]);
  expect(got).toEqual([{ card: { number: '4242' } }]);
});
