import { describe, expect, it } from 'vitest';
import type { ConversationEntry } from '../../../src/orchestrator/store/conversation-store.ts';
import { converse, refusalOf, says } from '../support.ts';
import { MemoryStore } from './stores.ts';
import { uniqueKey } from '../../support/unique-key.ts';

/** A store whose reads, and whose questions whether a run is in progress, fail once if that is due. */
class FailingOnceStore extends MemoryStore {
  heldFails = false;
  /** How many reads succeed before one fails. */
  readsBeforeFailure = Infinity;

  override async load(
    options: Parameters<MemoryStore['load']>[0],
  ): ReturnType<MemoryStore['load']> {
    if (this.readsBeforeFailure-- === 0) throw new Error('The database is locked.');
    return super.load(options);
  }

  async isHeld(): Promise<boolean> {
    const fails = this.heldFails;
    this.heldFails = false;
    if (fails) throw new Error('Too many open files.');
    return false;
  }
}

const INPUTS = ['First.', 'Second.'];

/** What another process wrote in two runs, and as it was killed in its third. */
async function written(): Promise<ConversationEntry[]> {
  const store = new MemoryStore();
  const { orchestrator } = converse([says('One.'), says('Two.')], {
    store,
    sessionKey: uniqueKey('failed-load'),
  });
  for (const input of INPUTS) await orchestrator.run(input);
  const killed = { type: 'run-started', version: 1, runId: 'killed', occurredAtMs: 1 } as const;
  return [...store.entries, killed];
}

/** The texts of the stored conversation. */
async function storedTexts({ entries }: MemoryStore): Promise<string[]> {
  const { orchestrator } = converse([], { store: new MemoryStore(entries) });
  await orchestrator.load();
  return orchestrator.messages.flatMap(({ content }) =>
    content.map((block) => (block.type === 'text' ? block.text : block.type)),
  );
}

describe('a read of a conversation that fails halfway', () => {
  it.each([
    ['the question whether its run is in progress', { heldFails: true }],
    ['its second read', { readsBeforeFailure: 1 }],
  ])('because of %s loses nothing in the next run', async (_, fails) => {
    const store = Object.assign(new FailingOnceStore(await written()), fails);
    const { orchestrator, requests } = converse([says('Three.')], { store });
    expect((await refusalOf(orchestrator.load())).code).toBe('STORE_FAILED');
    await orchestrator.run('Third.');
    expect(requests[0]?.messages).toHaveLength(5);
    expect(await storedTexts(store)).toEqual([
      'First.',
      'One.',
      'Second.',
      'Two.',
      'Third.',
      'Three.',
    ]);
  });

  it('after the conversation was removed does not bring it back', async () => {
    const store = new FailingOnceStore(await written());
    const { orchestrator } = converse([says('Three.')], { store });
    await orchestrator.load();
    store.entries.length = 0;
    // The first read finds that it is gone, the second one would read what is there instead.
    store.readsBeforeFailure = 1;
    expect((await refusalOf(orchestrator.load())).code).toBe('STORE_FAILED');
    await orchestrator.run('Third.');
    expect(await storedTexts(store)).toEqual(['Third.', 'Three.']);
  });
});
