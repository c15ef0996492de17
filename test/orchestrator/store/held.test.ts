import { describe, expect, it } from 'vitest';
import { converse, refusalOf, says } from '../support.ts';
import { HeldMemoryStore, NEVER } from './stores.ts';

describe('a conversation that one run at a time has', () => {
  it('is free again after a reset', async () => {
    const store = new HeldMemoryStore();
    const { orchestrator } = converse([says('One.')], { store });
    await orchestrator.run('1');
    await orchestrator.resetConversation();
    expect(store.holders).toBe(0);
  });

  it('is free again if it cannot be read', async () => {
    const store = new HeldMemoryStore();
    store.load = async () => {
      throw new Error('The disk is gone.');
    };
    await refusalOf(converse([], { store }).orchestrator.run('1'));
    expect(store.holders).toBe(0);
  });

  it('is waited for until the signal of a run fires, whose reason is told', async () => {
    const store = new HeldMemoryStore();
    await store.hold('another', NEVER);
    const { orchestrator } = converse([says('Never.')], { store });
    const reason = new Error('Enough.');
    const stop = new AbortController();
    const refusal = refusalOf(orchestrator.run('1', { signal: stop.signal }));
    await store.awaited.promise;
    stop.abort(reason);
    expect(await refusal).toMatchObject({ code: 'ABORTED', cause: reason });
  });

  it('is waited for by a reset until the orchestrator is closed', async () => {
    const store = new HeldMemoryStore();
    await store.hold('another', NEVER);
    const { orchestrator } = converse([], { store });
    const refusal = refusalOf(orchestrator.resetConversation());
    await store.awaited.promise;
    await orchestrator.close();
    expect((await refusal).code).toBe('CLOSED');
  });
});
