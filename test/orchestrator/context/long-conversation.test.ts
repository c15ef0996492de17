import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { checkMessages } from '../../../src/orchestrator/conversation/conversation-document.ts';
import { converse, says, uses } from '../support.ts';
import { countingModel, type CountedRequest } from './counting-model.ts';

/** Numbers that look random and are the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TURNS = 500;
const TURNS_PER_RUN = 5;
const WINDOW = 200_000;

describe('a conversation of an hour', () => {
  it('of 500 turns never fails for its length, and is seldom made shorter', async () => {
    const next = numbers(7);
    const scripts = [
      'rows of a table, in plain words. ',
      '注文の一覧です。',
      'const x = {"id": 1};\n',
    ];
    const text = (most: number): string =>
      (scripts[Math.floor(next() * scripts.length)] ?? '').repeat(Math.ceil((next() * most) / 30));
    const model = countingModel(
      WINDOW,
      (_request, before) =>
        before % TURNS_PER_RUN === TURNS_PER_RUN - 1
          ? says(`Answer ${before}. ${text(2000)}`)
          : Array.from({ length: 1 + Math.floor(next() * 3) }, (_, call) =>
              uses('look_up', { query: text(300) }, `call-${before}-${call}`),
            ),
      ({ messages }) => {
        const said = JSON.stringify(messages);
        return `SUMMARY. ${said.includes('PIN 4711') ? 'The PIN is PIN 4711.' : ''} ${text(3000)}`;
      },
    );
    const events: RunEvent[] = [];
    const { orchestrator } = converse([], {
      model,
      mode: 'direct',
      toolList: [
        {
          name: 'look_up',
          description: 'Looks something up.',
          allowedCallers: ['direct'],
          inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
          run: () => (next() < 0.05 ? text(80_000) : text(12_000)),
        },
      ],
    });
    const onEvent = (event: RunEvent): void => void events.push(event);
    for (let run = 0; run < TURNS / TURNS_PER_RUN; run += 1) {
      const input = run === 0 ? 'Remember PIN 4711.' : `Question ${run}. ${text(3000)}`;
      const { text: answer } = await orchestrator.run(input, { onEvent });
      expect(answer).toContain('Answer');
      checkMessages(orchestrator.messages);
    }

    const asked = model.requests.filter(({ isSummary }) => !isSummary);
    expect(asked).toHaveLength(TURNS);
    expect(model.refusals).toBe(0);
    // The first request is a hundred compactions away, and what it said is still known.
    expect(JSON.stringify(asked.at(-1)?.messages)).toContain('PIN 4711');
    const compacted = events.flatMap((one) => (one.type === 'context-compacted' ? [one] : []));
    expect(compacted.length).toBeGreaterThan(5);
    expect(compacted.length).toBeLessThan(TURNS / 8);
    for (const { tokensBefore, tokensAfter } of compacted) {
      expect(tokensAfter).toBeLessThan(tokensBefore * 0.8);
    }
    // Between two compactions the messages only grow, so that the service reads them from its cache.
    expect(rewrites(asked)).toBe(compacted.length);
  });
});

/** How often a request did not go on from the one before it. */
function rewrites(requests: readonly CountedRequest[]): number {
  return requests.slice(1).filter(({ messages }, index) => {
    const before = requests[index]?.messages ?? [];
    return before.some((message, at) => messages[at] !== message);
  }).length;
}
