import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { StoreLoadOptions } from '../../../src/orchestrator/store/conversation-store.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { converse, refusalOf, says } from '../support.ts';
import { HeldMemoryStore, MemoryStore, NEVER } from './stores.ts';

/** A store whose reads end only if their signal fires. */
class EndlessStore extends MemoryStore {
  readonly reading = createDeferred<void>();

  override async load({ signal }: StoreLoadOptions): Promise<never> {
    this.reading.resolve();
    await once(signal, 'abort');
    throw new Error('The read was ended.');
  }
}

describe('a read of a conversation', () => {
  it('ends if the signal of its run fires, whose reason is told', async () => {
    const store = new EndlessStore();
    const reason = new Error('Enough.');
    const stop = new AbortController();
    const { orchestrator } = converse([says('Never.')], { store });
    const refusal = refusalOf(orchestrator.run('1', { signal: stop.signal }));
    await store.reading.promise;
    stop.abort(reason);
    expect(await refusal).toMatchObject({ code: 'ABORTED', cause: reason });
  });

  it('without a run ends if the orchestrator is closed', async () => {
    const store = new EndlessStore();
    const { orchestrator } = converse([], { store });
    const refusal = refusalOf(orchestrator.load());
    await store.reading.promise;
    await orchestrator.close();
    expect((await refusal).code).toBe('CLOSED');
  });
});

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
    await store.hold({ key: 'another', ...NEVER });
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
    await store.hold({ key: 'another', ...NEVER });
    const { orchestrator } = converse([], { store });
    const refusal = refusalOf(orchestrator.resetConversation());
    await store.awaited.promise;
    await orchestrator.close();
    expect((await refusal).code).toBe('CLOSED');
  });
});
