import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { countingModel } from '../context/counting-model.ts';
import { compactions, converseWith, long } from '../context/reading-conversation.ts';
import { converse, says } from '../support.ts';
import { MemoryStore } from './stores.ts';

async function messagesIn(store: MemoryStore): Promise<readonly ModelMessage[]> {
  const { orchestrator } = converse([], { store });
  await orchestrator.load();
  return orchestrator.messages;
}

describe('a conversation that was made shorter', () => {
  it('is so in its store, before the model is asked to go on and afterwards', async () => {
    const store = new MemoryStore();
    const stored: (readonly ModelMessage[])[] = [];
    let isShorter = false;
    const model = countingModel(20_000, () => says(long('a')));
    const { run, events, orchestrator } = converseWith(
      {
        ...model,
        async *stream(request) {
          // A process that ends here must not lose the summary.
          if (isShorter && stored.length === 0) stored.push(await messagesIn(store));
          isShorter ||= request.system.startsWith('You summarize');
          yield* model.stream(request);
        },
      },
      { store },
    );
    for (let at = 0; at < 7; at += 1) await run(`Question ${at}: ${long('q')}`);
    expect(compactions(events)).toHaveLength(1);
    expect(JSON.stringify(stored[0]?.[0])).toContain('SUMMARY');
    expect(await messagesIn(store)).toEqual(JSON.parse(JSON.stringify(orchestrator.messages)));
  });
});
