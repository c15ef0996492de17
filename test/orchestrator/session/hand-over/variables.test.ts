import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { codeTool } from '../../../../src/orchestrator/code/code-tool.ts';
import type { Executor } from '../../../../src/sessions/executor.ts';
import { useExecutors } from '../../../sessions/support.ts';
import { MemoryStore } from '../../store/stores.ts';
import { converse, runs, says } from '../../support.ts';

const LOOK = 'print(globals().get("kept"))';
const GONE = /^None\n.*variables of earlier programs are gone/s;

const makeExecutor = useExecutors();

it('a conversation whose session another executor takes over goes on there, and the model is told that its variables are gone', async () => {
  const [one, two] = [makeExecutor().executor, makeExecutor().executor];
  const [store, session] = [new MemoryStore(), randomUUID()];
  const goOn = async (executor: Executor, code: string): Promise<string | undefined> => {
    const { orchestrator, results } = converse([runs(code), says('Done.')], {
      executor,
      store,
      sessionKey: session,
    });
    await orchestrator.run('Go on.');
    await orchestrator.close();
    return results(1)[0]?.text;
  };
  await goOn(one, 'kept = 1');
  expect(await goOn(one, LOOK)).toBe('1');
  expect(await goOn(two, LOOK)).toMatch(GONE);
  expect(await goOn(two, LOOK)).toBe('None');
  expect(await goOn(one, LOOK)).toMatch(GONE);
});

it.each(['a conversation', 'a tool for other agent loops'])(
  'the model of %s that another executor took the session from is told so by its next program',
  async (kind) => {
    const [one, two] = [makeExecutor().executor, makeExecutor().executor];
    const session = randomUUID();
    const codes = ['kept = 1', LOOK, LOOK];
    const { orchestrator, results } = converse(
      codes.flatMap((code) => [runs(code), says('Done.')]),
      { executor: one, sessionKey: session },
    );
    const tool = codeTool({ executor: one, sessionKey: session });
    const texts: (string | undefined)[] = [];
    for (const [index, code] of codes.entries()) {
      if (index === 1) await takeOver(two, session);
      if (kind === 'a conversation') {
        await orchestrator.run('Go on.');
        texts.push(results(2 * index + 1)[0]?.text);
      } else texts.push((await tool.execute({ code })).text);
    }
    expect(texts.slice(1)).toEqual([expect.stringMatching(GONE), 'None']);
  },
);

/** Another conversation with the same key. */
async function takeOver(executor: Executor, key: string): Promise<void> {
  await using session = await executor.acquire({ sessionKey: key });
  await session.execute('1');
}
