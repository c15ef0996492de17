import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Executor } from '../../../src/sessions/executor.ts';
import { useExecutors } from '../../sessions/support.ts';
import { MemoryStore } from '../store/stores.ts';
import { converse, runs, says } from '../support.ts';

const makeExecutor = useExecutors();

it('a conversation whose session another executor takes over goes on there, and the model is told that its variables are gone', async () => {
  const [one, two] = [makeExecutor().executor, makeExecutor().executor];
  const [store, session] = [new MemoryStore(), randomUUID()];
  const goOn = async (executor: Executor, code: string): Promise<string | undefined> => {
    const { orchestrator, results } = converse([runs(code), says('Done.')], {
      executor,
      store,
      session,
    });
    await orchestrator.run('Go on.');
    await orchestrator.close();
    return results(1)[0]?.text;
  };
  const LOOK = 'print(globals().get("kept"))';
  const GONE = /^None\n.*variables of earlier programs are gone/s;
  await goOn(one, 'kept = 1');
  expect(await goOn(one, LOOK)).toBe('1');
  expect(await goOn(two, LOOK)).toMatch(GONE);
  expect(await goOn(two, LOOK)).toBe('None');
  expect(await goOn(one, LOOK)).toMatch(GONE);
});
