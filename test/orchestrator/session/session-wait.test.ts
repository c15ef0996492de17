import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, refusalOf, runs, says } from '../support.ts';

const makeExecutor = useExecutors();

describe('a conversation whose session another executor has', () => {
  it('fails at once, or waits for sessionWaitMs until the session is free', async () => {
    const [mine, other] = [makeExecutor().executor, makeExecutor().executor];
    const session = randomUUID();
    const held = await mine.acquire({ sessionKey: session });
    const input = { code: 'print(6 * 7)' };
    await using impatient = codeTool({ executor: other, sessionKey: session });
    expect(await refusalOf(impatient.execute(input))).toMatchObject({ code: 'SESSION_HELD' });

    await using patient = codeTool({ executor: other, sessionKey: session, sessionWaitMs: 60_000 });
    const acquire = vi.spyOn(other, 'acquire');
    const answer = patient.execute(input);
    const { orchestrator, results } = converse([runs(input.code, 'r'), says('Done.')], {
      executor: other,
      sessionKey: session,
      sessionWaitMs: 60_000,
    });
    const running = orchestrator.run('Go on.');
    await expect.poll(() => acquire.mock.calls.length).toBe(2);
    // This one asks last. When it is refused, the other two wait, or would have been refused too.
    expect(await refusalOf(impatient.execute(input))).toMatchObject({ code: 'SESSION_HELD' });
    await held.destroy();
    expect(await answer).toMatchObject({ text: '42', isError: false });
    await running;
    expect(results(1)[0]?.text).toBe('42');
  });

  it('takes no sessionWaitMs that is not a number of milliseconds', async () => {
    const { executor } = makeExecutor();
    expect(() => codeTool({ executor, sessionWaitMs: -1 })).toThrow(/sessionWaitMs/);
  });
});
