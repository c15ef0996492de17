import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

const copy = defineTool({
  name: 'copy',
  description: 'Copies.',
  run: (_input, { progress }) => {
    progress({ progress: 1, total: 2, message: 'Half.' });
    progress({ progress: 2, total: 2 });
  },
});

async function eventsWith(
  taken: (event: ExecutionEvent) => Promise<void> | undefined,
): Promise<readonly ExecutionEvent[]> {
  const { runner, connection } = connect();
  const events: ExecutionEvent[] = [];
  const ended = createDeferred<void>();
  const onEvent = (event: ExecutionEvent): unknown => {
    events.push(event);
    if (event.type === 'tool-call-ended') ended.resolve();
    return taken(event);
  };
  const tools = new ToolRegistry([copy]).snapshot();
  const running = connection.execute(request({ tools, onEvent }));
  runner.say(toolCall('a', 'copy'));
  await ended.promise;
  runner.say(outcome());
  await running;
  return events;
}

it('tells the listener of a program how far a call is, before its result', async () => {
  const about = { type: 'tool-call-progressed', callId: 'a', toolName: 'copy' };
  expect(await eventsWith(() => undefined)).toMatchObject([
    { type: 'tool-call-started' },
    { ...about, progress: 1, total: 2, message: 'Half.' },
    { ...about, progress: 2, total: 2, message: undefined },
    { type: 'tool-call-ended' },
  ]);
});

it('tells a listener that is behind no more progress', async () => {
  // Until the tool has reported everything.
  const events = await eventsWith(async ({ type }) => {
    if (type === 'tool-call-progressed') await nextTurn();
  });
  expect(events.map(({ type }) => type)).toEqual([
    'tool-call-started',
    'tool-call-progressed',
    'tool-call-ended',
  ]);
});
