import { expect, it } from 'vitest';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { useExecutors } from '../../sessions/support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const makeExecutor = useExecutors();
const CLOSED = { code: 'CLOSED' };

const conversation = (
  executor: SandboxExecutor,
  options: Partial<OrchestratorOptions> = {},
): ProgrammaticToolOrchestrator =>
  new ProgrammaticToolOrchestrator({ model: scriptedModel([]), executor, ...options });

it.each([
  ['conversation', (executor: SandboxExecutor) => conversation(executor)],
  ['code tool', (executor: SandboxExecutor) => codeTool({ executor })],
])(
  'a %s that is closed while its session is opened for a file leaves no session',
  async (_, make) => {
    const { executor, provider } = makeExecutor();
    const closed = make(executor);
    const written = closed.files.write('a.txt', 'a');
    await Promise.all([expect(written).rejects.toMatchObject(CLOSED), closed.close()]);
    expect(executor.activeSessions).toEqual([]);
    await executor.close();
    expect(provider.open.size).toBe(0);
  },
);

it.each([
  ['a random key', undefined],
  ['a key of yours', uniqueKey('closed-files')],
])('the files of a closed conversation with %s open no session', async (_, sessionKey) => {
  const { executor } = makeExecutor();
  const closed = conversation(executor, sessionKey === undefined ? {} : { sessionKey });
  await closed.close();
  await expect(closed.files.write('a.txt', 'a')).rejects.toMatchObject(CLOSED);
  await expect(closed.files.stream('a.txt').next()).rejects.toMatchObject(CLOSED);
  expect(executor.activeSessions).toEqual([]);
});

it('a file that is read with an aborted signal is told so, also if the conversation is closed meanwhile', async () => {
  const { executor } = makeExecutor();
  const closed = conversation(executor);
  const caller = new AbortController();
  const read = closed.files.read('a.txt', { signal: caller.signal });
  caller.abort();
  await Promise.all([expect(read).rejects.toMatchObject({ code: 'ABORTED' }), closed.close()]);
});
