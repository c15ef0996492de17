import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { converse, refusalOf, runs, says } from '../support.ts';
import { shop, texts } from './shop.ts';
import { MemoryStore } from './stores.ts';

describe('each step', () => {
  it('is written before the next one: a call before its tool runs, its outcome before the program has it', async () => {
    const store = new MemoryStore();
    const order: string[] = [];
    const writing = createDeferred<void>();
    store.beforeAppend = async (entries) => {
      const types = entries.map((entry) => ('toolName' in entry ? entry.toolName : entry.type));
      if (types.includes('tool-call-ended')) await writing.promise;
      order.push(...types);
    };
    const tool = (name: string): ToolDefinition => ({
      name,
      description: 'Does something.',
      run: () => {
        order.push(`${name} runs`);
        if (name === 'first') setImmediate(() => writing.resolve());
      },
    });
    const { orchestrator } = converse([runs('await first()\nawait second()'), says('Done.')], {
      store,
      toolList: [tool('first'), tool('second')],
    });
    await orchestrator.run('Go.', {
      onEvent: ({ type }) => {
        const isShown = ['turn-started', 'tool-call-ended', 'run-ended'].includes(type);
        if (isShown) order.push(`event ${type}`);
      },
    });
    expect(order).toEqual([
      ...['run-started', 'messages', 'event turn-started', 'messages'],
      ...['first', 'first runs', 'tool-call-ended', 'event tool-call-ended'],
      ...['second', 'second runs', 'tool-call-ended', 'event tool-call-ended'],
      ...['messages', 'event turn-started', 'messages', 'run-ended', 'event run-ended'],
    ]);
  });

  it('is written together with others that wait', async () => {
    const store = new MemoryStore();
    const together: number[] = [];
    let calls = 0;
    const allAsked = createDeferred<void>();
    store.beforeAppend = async (entries) => {
      const began = entries.filter(({ type }) => type === 'tool-call-started').length;
      if (began === 0) return;
      together.push(began);
      await allAsked.promise;
    };
    const { toolList, orders } = shop();
    const code = 'import asyncio\nawait asyncio.gather(*[order(f"cup {n}") for n in range(8)])';
    const { orchestrator } = converse([runs(code), says('Done.')], { store, toolList });
    await orchestrator.run('Go.', {
      onEvent: ({ type }) => {
        if (type === 'tool-call-started' && ++calls === 8) setImmediate(() => allAsked.resolve());
      },
    });
    expect(orders).toHaveLength(8);
    expect(together).toEqual([1, 7]);
  });

  it('has no more of a call than is reported later, and never its context [waiting/store]', async () => {
    const store = new MemoryStore();
    const { toolList } = shop();
    const { orchestrator } = converse(
      [runs('_ = await order("x" * 100_000)\nNone'), says('Done.')],
      {
        store,
        toolList,
        labels: { user: 'label of ann' },
      },
    );
    await orchestrator.run('Go.', { context: { secret: 'of the run' } });
    const text = JSON.stringify(store.entries);
    expect(text.length).toBeLessThan(10_000);
    expect(text).not.toMatch(/of the run|label of ann/);
  });

  it('has what a call failed with, also at most its start', async () => {
    const store = new MemoryStore();
    const order: ToolDefinition = {
      name: 'order',
      description: 'Orders something.',
      run: () => {
        throw new Error(`No room: ${'x'.repeat(5000)}`);
      },
    };
    const { orchestrator } = converse([runs('await order()'), says('I see.')], {
      store,
      toolList: [order],
    });
    await orchestrator.run('Buy.');
    const ended = store.entries.findIndex(({ type }) => type === 'tool-call-ended');
    expect(JSON.stringify(store.entries[ended]).length).toBeLessThan(1000);
    const rest = new MemoryStore(store.entries.slice(0, ended + 1));
    const later = converse([], { store: rest }).orchestrator;
    await later.load();
    expect(texts(later.messages)).toMatch(/order\(\{\}\): failed, Failed: No room: x+…/);
  });

  it('has each message once, however long the conversation gets', async () => {
    const store = new MemoryStore();
    const { orchestrator } = converse([says('One.'), says('Two.')], { store });
    await orchestrator.run('1');
    await orchestrator.run('2');
    expect(JSON.stringify(store.entries).split('One.')).toHaveLength(2);
  });

  it('is not written if it changed nothing, and the end of the run says why it ended', async () => {
    const store = new MemoryStore();
    const { orchestrator } = converse([runs('1')], { store, maxTurns: 1 });
    await refusalOf(orchestrator.run('Go.'));
    const steps = store.entries.slice(-2);
    expect(steps).toMatchObject([
      { type: 'messages', messages: [{ role: 'user' }] },
      { type: 'run-ended', error: 'TURN_LIMIT' },
    ]);
  });

  it('has what an answer took that says nothing', async () => {
    const store = new MemoryStore();
    const { orchestrator } = converse([says('')], { store });
    await orchestrator.run('Go.');
    const later = converse([], { store }).orchestrator;
    await later.load();
    expect(orchestrator.usage.inputTokens).toBeGreaterThan(0);
    expect(later.usage).toEqual(orchestrator.usage);
  });
});
