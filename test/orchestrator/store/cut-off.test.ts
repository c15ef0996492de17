import { describe, expect, it } from 'vitest';
import { checkMessages } from '../../../src/orchestrator/conversation/conversation-document.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';
import { shop, texts, wholeRun } from './shop.ts';
import { MemoryStore } from './stores.ts';

describe('a process that is killed', () => {
  it('loses nothing at any moment: the next one knows what was done and repeats nothing', async () => {
    const entries = await wholeRun();
    expect(entries.filter(({ type }) => type === 'tool-call-started')).toHaveLength(4);
    const outcomes = new Set<boolean>();
    for (let length = 1; length <= entries.length; length += 1) {
      const store = new MemoryStore(entries.slice(0, length));
      const { toolList, orders } = shop();
      const { orchestrator, requests } = converse([says('I see.')], { toolList, store });
      await orchestrator.run('And now?');
      const sent = requests[0]?.messages ?? [];
      checkMessages(sent);
      expect(orders).toEqual([]);
      const told = texts(sent);
      const kept = entries.slice(0, length);
      const lastMessages = kept.findLastIndex(({ type }) => type === 'messages');
      for (const entry of kept.slice(lastMessages + 1)) {
        if (entry.type !== 'tool-call-started') continue;
        const ended = kept.some(
          (one) => one.type === 'tool-call-ended' && one.callId === entry.callId,
        );
        outcomes.add(ended);
        const { item } = JSON.parse(entry.arguments) as { item: string };
        const outcome = ended ? `done, "ordered ${item}"` : 'it is not known whether this was done';
        expect(told).toContain(`order({"item":"${item}"}): ${outcome}`);
      }
      // What was told is written down before the model is asked.
      const again = new MemoryStore(store.entries);
      const third = converse([], { toolList, store: again }).orchestrator;
      await third.load();
      expect(texts(third.messages)).toBe(texts(orchestrator.messages));
    }
    // Some were cut off during a call, and some after one.
    expect(outcomes).toEqual(new Set([true, false]));
  });

  it('reports an interrupted program like a run in which it was stopped', async () => {
    const store = new MemoryStore();
    const order: ToolDefinition = {
      name: 'order',
      description: 'Orders.',
      inputSchema: { type: 'object', properties: { number: { type: 'number' } } },
      run: async (input) => {
        const { number } = input as { number: number };
        if (number === -1) return new Promise(() => {});
        if (number % 50 === 0) throw new Error(`It is\nsold out: ${'x'.repeat(1000)}`);
        return `ordered ${number}`;
      },
    };
    const code = [
      'import asyncio',
      'waiting = asyncio.create_task(order(number=-1))',
      'for number in range(250):',
      '  try: await order(number=number)',
      '  except ToolError: pass',
      'await waiting',
    ];
    const stop = new AbortController();
    const { orchestrator } = converse([runs(code.join('\n'))], { store, toolList: [order] });
    const refusal = refusalOf(orchestrator.run('Go.', { signal: stop.signal }));
    const ended = (): number =>
      store.entries.filter(({ type }) => type === 'tool-call-ended').length;
    await expect.poll(ended).toBe(250);
    stop.abort();
    await refusal;
    const calls = (text: string): string => text.slice(text.indexOf('order, earlier calls'));
    const told = calls(texts(orchestrator.messages));
    expect(told).toMatch(/^order, earlier calls: \d+ done, \d+ failed\n/);
    expect(told).toMatch(/\norder\(\{"number":-1\}\): it is not known whether this was done$/);
    const last = store.entries.findLastIndex(({ type }) => type === 'tool-call-ended');
    const cut = new MemoryStore(store.entries.slice(0, last + 1));
    const later = converse([], { store: cut }).orchestrator;
    await later.load();
    expect(calls(texts(later.messages))).toBe(told);
  });

  it('has entries for calls that were never made', async () => {
    const entries = await wholeRun();
    const began = entries.findIndex(({ type }) => type === 'tool-call-started');
    const { orchestrator } = converse([], { store: new MemoryStore(entries.slice(0, began)) });
    await orchestrator.load();
    expect(texts(orchestrator.messages)).toMatch(
      /ended before it was done\. It had made no tool calls\.\][\s\S]*This call was not made\./,
    );
  });

  it('says that variables are gone only if a program was running', async () => {
    const entries = await wholeRun();
    const toFirstAnswer = entries.findIndex(({ type }) => type === 'tool-call-started');
    const { toolList } = shop();
    const direct = new MemoryStore();
    const buying = converse([[uses('order', { item: 'rug' })], says('Done.')], {
      store: direct,
      toolList,
    });
    await buying.orchestrator.run('Buy.');
    const toDirectCall = direct.entries.findIndex(({ type }) => type === 'tool-call-started');
    for (const [kept, isTold] of [
      [entries.slice(0, toFirstAnswer), true],
      [direct.entries.slice(0, toDirectCall), false],
    ] as const) {
      const store = new MemoryStore(kept);
      const { orchestrator, results } = converse([runs('1', 'r'), says('I see.')], { store });
      await orchestrator.run('And now?');
      expect(results(1)[0]?.text.includes('variables of earlier programs are gone')).toBe(isTold);
    }
  });

  it('does not report the calls of a discarded answer, even if a later one has the same id', async () => {
    const store = new MemoryStore();
    const { toolList } = shop();
    const { orchestrator } = converse(
      [
        runs('await order("desk")', 'p'),
        () => {
          throw new Error('The service is down.');
        },
        runs('await order("lamp")', 'p'),
        says('Done.'),
      ],
      { store, toolList, onFailure: 'discard' },
    );
    await refusalOf(orchestrator.run('Buy a desk.'));
    await orchestrator.run('Buy a lamp.');
    const last = store.entries.findLastIndex(({ type }) => type === 'tool-call-ended');
    const rest = new MemoryStore(store.entries.slice(0, last + 1));
    const later = converse([], { store: rest }).orchestrator;
    await later.load();
    expect(texts(later.messages)).toContain('order({"item":"lamp"}): done');
    expect(texts(later.messages)).not.toContain('desk');
  });
});
