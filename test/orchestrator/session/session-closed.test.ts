import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '../../../src/models/scripted.ts';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { useExecutors } from '../../sessions/support.ts';
import { runs, says } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const ANN = uniqueKey('ann');

const makeExecutor = useExecutors();

const LIFETIME_MS = 270_000;
const CLEANUP_MS = 60_000;

type Change = (executor: SandboxExecutor) => unknown;

/** A conversation on an executor; `between` has what happens before the model's turns, by their numbers. */
function converse(
  executor: SandboxExecutor,
  turns: readonly ScriptedTurn[],
  between: Readonly<Record<number, Change>> = {},
): { orchestrator: ProgrammaticToolOrchestrator; events: RunEvent[]; told: () => string[] } {
  const script = scriptedModel(turns);
  let turn = 0;
  const model = {
    id: script.id,
    async *stream(request: Parameters<typeof script.stream>[0]) {
      turn += 1;
      await between[turn]?.(executor);
      yield* script.stream(request);
    },
  };
  const orchestrator = new ProgrammaticToolOrchestrator({ model, executor, sessionKey: ANN });
  const events: RunEvent[] = [];
  /** What was told of sessions and runs. */
  const told = (): string[] =>
    events.flatMap((event) => {
      if (event.type === 'session-closed') return [`closed: ${event.reason}`];
      if (event.type === 'session-opened') return ['opened'];
      return event.type === 'run-started' || event.type === 'run-ended' ? [event.type] : [];
    });
  return { orchestrator, events, told };
}

const THREE = [runs('x = 1'), runs('print("x" in globals())'), says('Done.')];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a run', () => {
  it.each<[string, Change]>([
    [
      'closed',
      async (executor) => {
        const [session] = executor.activeSessions;
        await executor.closeSession({ id: session?.id ?? '' });
      },
    ],
    ['expired', () => vi.advanceTimersByTime(LIFETIME_MS + CLEANUP_MS)],
  ])(
    'tells that its session was %s under it, before the next one is opened',
    async (reason, change) => {
      const { executor } = makeExecutor();
      const { orchestrator, events, told } = converse(executor, THREE, { 2: change });
      await orchestrator.run('Go.', { onEvent: (event) => events.push(event) });
      expect(told()).toEqual(['run-started', 'opened', `closed: ${reason}`, 'opened', 'run-ended']);
      const [opened] = events.flatMap((event) =>
        event.type === 'session-opened' ? [event.session.id] : [],
      );
      const closed = events.find(({ type }) => type === 'session-closed');
      expect(closed).toMatchObject({ sessionId: opened, runId: events[0]?.runId });
    },
  );

  it('tells that another user of the key reset it', async () => {
    const { executor } = makeExecutor();
    const reset: Change = async () => {
      await using session = await executor.acquire({ sessionKey: ANN });
      await session.reset();
    };
    const { orchestrator, events, told } = converse(executor, THREE, { 2: reset });
    await orchestrator.run('Go.', { onEvent: (event) => events.push(event) });
    expect(told()).toEqual(['run-started', 'opened', 'closed: reset', 'run-ended']);
  });

  it('tells that its program ended the interpreter, before it ends itself', async () => {
    const { executor } = makeExecutor();
    const { orchestrator, events, told } = converse(executor, [
      runs('import os\nos._exit(3)'),
      says('Done.'),
    ]);
    await orchestrator.run('Go.', { onEvent: (event) => events.push(event) });
    expect(told()).toEqual(['run-started', 'opened', 'closed: sandbox-lost', 'run-ended']);
  });

  it('tells that it was evicted before its first program, and not what happened between two runs', async () => {
    const { executor } = makeExecutor({ maxSandboxes: 1, whenFull: { action: 'evict' } });
    const other: Change = async () => executor.execute('1');
    const script = [runs('x = 1'), says('One.'), says('Two.'), runs('x = 2'), says('Three.')];
    const { orchestrator, events, told } = converse(executor, script, { 3: other });
    const onEvent = (event: RunEvent): void => void events.push(event);
    await orchestrator.run('One.', { onEvent });
    await orchestrator.run('Two.', { onEvent });
    expect(told().slice(3)).toEqual(['run-started', 'closed: evicted', 'run-ended']);

    await orchestrator.run('Three.', { onEvent });
    await orchestrator.close();
    await executor.closeSession({ id: executor.activeSessions[0]?.id ?? '' });
    expect(told().slice(6)).toEqual(['run-started', 'opened', 'run-ended']);
  });
});

describe('a holder of the session of a code tool', () => {
  it('is notified once when it closes, and not after releasing it', async () => {
    const { executor } = makeExecutor();
    const tool = codeTool({ executor });
    const heard: unknown[] = [];
    const first = tool.hold({ onClosed: (closed) => heard.push(closed) });
    await tool.execute({ code: '1' });
    await first.release();
    // The same sandbox is acquired again.
    const again = tool.hold({ onClosed: (closed) => heard.push(closed) });
    await tool.execute({ code: '1' });
    const sessionId = (await tool.sessionInfo())?.id;
    await tool.reset();
    expect(heard).toEqual([{ sessionId, reason: 'closed' }]);
    await tool.execute({ code: '1' });
    await again.release();
    await tool.reset();
    expect(heard).toHaveLength(1);
  });
});
