import { afterEach, expect, it } from 'vitest';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import { useExecutors } from '../../sessions/support.ts';
import { runs, says } from '../support.ts';
import { uniqueKey } from '../../support/unique-key.ts';

const makeExecutor = useExecutors();
const conversations: ProgrammaticToolOrchestrator[] = [];

afterEach(async () => {
  await Promise.all(conversations.splice(0).map((one) => one.close()));
});

function converse(options: Omit<OrchestratorOptions, 'model'>): ProgrammaticToolOrchestrator {
  const model = scriptedModel([says('Hello.')]);
  const orchestrator = new ProgrammaticToolOrchestrator({ model, ...options });
  conversations.push(orchestrator);
  return orchestrator;
}

it('a fork ends its session when it is closed, unless its key was given', async () => {
  const { executor } = makeExecutor();
  const orchestrator = converse({ executor });
  const model = (): LanguageModel => scriptedModel([runs('x = 1'), says('Set.')]);
  for (const key of [undefined, uniqueKey('fork')]) {
    const fork = orchestrator.fork({ model: model(), ...(key && { sessionKey: key }) });
    conversations.push(fork);
    await fork.run('Set x.');
    const { sessionKey } = fork;
    expect(sessionKey).not.toBe(orchestrator.sessionKey);
    if (key !== undefined) expect(sessionKey).toBe(key);
    await fork.close();
    const open = executor.activeSessions.map((session) => session.key);
    expect(open).toEqual(key === undefined ? [] : [key]);
  }
});

it('a conversation that continues from the document of a fork has its session', async () => {
  const { executor } = makeExecutor();
  const orchestrator = converse({ executor });
  const fork = orchestrator.fork();
  const next = converse({ executor, conversation: fork.toJSON() });
  expect(next.sessionKey).toBe(fork.sessionKey);
});
