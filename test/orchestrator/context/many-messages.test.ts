import { expect, it } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { measureMessages } from '../../../src/orchestrator/context/message-tokens.ts';
import { LoopPauses } from '../../../src/shared/async/loop-pauses.ts';
import { converse, says } from '../support.ts';
import { countingModel } from './counting-model.ts';

/** Counts how often other work may go on. */
class CountedPauses extends LoopPauses {
  offered = 0;

  override next(): undefined {
    this.offered += 1;
  }
}

function exchanges(count: number): ModelMessage[] {
  return Array.from({ length: count }, (_, at): ModelMessage[] => [
    { role: 'user', content: [{ type: 'text', text: `Question ${at}` }] },
    { role: 'assistant', content: says(`Answer ${at}`) },
  ]).flat();
}

it('lets other work go on before each message that it measures, and measures each once', async () => {
  const messages = exchanges(50);
  const pauses = new CountedPauses();
  await measureMessages(messages.slice(0, 60), pauses);
  expect(pauses.offered).toBe(60);
  await measureMessages(messages, pauses);
  expect(pauses.offered).toBe(100);
});

it('lets other work go on while the first turn of a run measures a very long conversation', async () => {
  let turns = 0;
  const turnsBefore: number[] = [];
  const model = countingModel(100_000_000, () => {
    turnsBefore.push(turns);
    return says('Yes.');
  });
  const { orchestrator } = converse([], { model, messages: exchanges(20_000) });
  let isRunning = true;
  const countTurns = (): void => {
    turns += 1;
    if (isRunning) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  for (const question of ['One?', 'Two?']) {
    turns = 0;
    await orchestrator.run(question);
  }
  isRunning = false;
  const [first = 0, second = 0] = turnsBefore;
  // The second run has only its own messages to measure.
  expect(first).toBeGreaterThan(second + 3);
});
