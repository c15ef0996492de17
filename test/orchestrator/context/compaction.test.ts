import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  AssistantBlock,
  ModelMessage,
  ToolResultBlock,
  UserBlock,
} from '../../../src/models/language-model.ts';
import { compact } from '../../../src/orchestrator/context/compact.ts';
import { estimateMessages } from '../../../src/orchestrator/context/message-tokens.ts';
import { PIXEL } from '../../support/images.ts';
import { checkMessages } from '../../../src/orchestrator/conversation/conversation-document.ts';

const NOT_KNOWN = 'it is not known whether this was done';

const NOT_WAITED_FOR = '[The program did not wait for the end of these tool calls:]';

/** One answer, and what the results of its calls are. */
interface Exchange {
  readonly request: string | undefined;
  readonly blocks: readonly AssistantBlock[];
  readonly results: readonly Omit<ToolResultBlock, 'type' | 'toolUseId'>[];
}

const text = fc
  .tuple(fc.constantFrom('a', 'é', '注', '💶', 'words\n'), fc.nat(6000))
  .map(([part, times]) => part.repeat(times));

/** A request or an answer of nothing but blank text is not kept. */
const words = text.filter((one) => one.length > 0);

const exchange: fc.Arbitrary<Exchange> = fc.record({
  request: fc.option(words, { nil: undefined }),
  blocks: fc.array(
    fc.oneof(
      words.map((one) => ({ type: 'text' as const, text: one })),
      fc.constant({ type: 'thinking' as const, thinking: 'Hm.', signature: 's' }),
      fc.constant({ type: 'opaque' as const, value: { type: 'server_tool_use' } }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  results: fc.array(
    fc.oneof(
      fc.record({ text, isError: fc.boolean() }),
      fc.tuple(text, fc.nat(99)).map(([one, n]) => ({
        text: `${one}\npay({"n":${n}}): ${NOT_KNOWN}\n${one}`,
        isError: true,
      })),
      fc.tuple(text, fc.integer({ min: 100, max: 199 })).map(([one, n]) => ({
        text: `${one}\n${NOT_WAITED_FOR}\npay({"n":${n}}): ${NOT_KNOWN}\npay({"n":-${n}}): ${NOT_KNOWN}`,
        isError: false,
      })),
    ),
    { maxLength: 3 },
  ),
});

/** A conversation that could be sent: each call has its result in the message after it. */
function conversation(exchanges: readonly Exchange[], last: string): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let open: UserBlock[] = [];
  const ask = (request: string | undefined): void => {
    const said: UserBlock[] = request === undefined ? [] : [{ type: 'text', text: request }];
    const content = [...open, ...said];
    messages.push({ role: 'user', content: content.length > 0 ? content : [GO_ON] });
  };
  for (const [index, { request, blocks, results }] of exchanges.entries()) {
    ask(index === 0 ? (request ?? 'Begin.') : request);
    const ids = results.map((_, at) => `call-${index}-${at}`);
    const calls = ids.map((id): AssistantBlock => ({
      type: 'tool-use',
      id,
      name: id.endsWith('0') ? 'execute_code' : 'pay',
      input: { n: index },
    }));
    messages.push({ role: 'assistant', content: [...blocks, ...calls] });
    open = results.map((result, at) => ({
      type: 'tool-result',
      toolUseId: ids[at] ?? '',
      ...result,
    }));
  }
  ask(last);
  return messages;
}

const GO_ON: UserBlock = { type: 'text', text: 'Go on.' };

const conversations = fc
  .tuple(
    fc.array(exchange, { minLength: 1, maxLength: 12 }),
    fc.constantFrom('Now?', 'x'.repeat(9000)),
  )
  .map(([exchanges, last]) => conversation(exchanges, last));

const summary = fc.constantFrom('In short.', 'long '.repeat(20_000), `Paid: ${NOT_KNOWN}`);

it('an old result that is shortened loses its images, and the model is told so', async () => {
  const image = { type: 'image', mediaType: 'image/png', data: PIXEL } as const;
  const messages = conversation(
    Array.from({ length: 6 }, () => ({
      request: 'Draw.',
      blocks: [{ type: 'text' as const, text: 'So.' }],
      results: [{ text: 'Drawn.', isError: false, images: [image, image] }],
    })),
    'Now?',
  );
  const compacted = await compact({
    messages,
    roomTokens: estimateMessages(messages) / 2,
    summarize: async () => 'In short.',
  });
  const results = (compacted?.messages ?? []).flatMap(({ content }) =>
    content.filter((block) => block.type === 'tool-result'),
  );
  expect(results[0]).toMatchObject({
    text: '[… 2 images left out; this result is old, so it was shortened …]\nDrawn.',
  });
  expect(results[0]).not.toHaveProperty('images');
  expect(results.at(-1)).toMatchObject({ text: 'Drawn.', images: [image, image] });
});

describe('any conversation, shortened as often as possible', () => {
  it('can be sent, is shorter, and ends as it did', async () => {
    let summaries = 0;
    let shortened = 0;
    const property = fc.asyncProperty(
      conversations,
      fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 4 }),
      summary,
      async (messages, rooms, summed) => {
        checkMessages(messages);
        let current: readonly ModelMessage[] = messages;
        for (const roomTokens of rooms) {
          const before = current;
          const compacted = await compact({
            messages: before,
            roomTokens,
            summarize: async (old) => {
              // What is summed up is a conversation that could be sent, but for the results of its last calls.
              summaries += 1;
              expect(old[0]?.role).toBe('user');
              return summed;
            },
          });
          if (compacted === undefined) continue;
          current = compacted.messages;
          shortened += 1;
          checkMessages(current);
          expect(current.every(({ content }) => content.length > 0)).toBe(true);
          expect(current.at(-1)?.role).toBe(before.at(-1)?.role);
          expect(textsOf(current.at(-1))).toEqual(expect.arrayContaining(textsOf(before.at(-1))));
          expect(estimateMessages(current)).toBeLessThan(estimateMessages(before));
          // Answers that are still there are as they came, thinking included.
          const answers = current.filter(({ role }) => role === 'assistant');
          expect(answers.every((answer) => before.includes(answer))).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: 300 });
    // Else the property said nothing.
    expect(summaries).toBeGreaterThan(10);
    expect(shortened).toBeGreaterThan(10);
  });

  it('is left as it is if its summary would be longer', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }],
      },
      { role: 'user', content: [{ type: 'text', text: 'Now?' }] },
    ];
    const summarize = async (): Promise<string> => 'In short.';
    expect(await compact({ messages, roomTokens: 0, summarize })).toBeUndefined();
  });

  it('still lists each call with an unknown outcome', async () => {
    let told = 0;
    const property = fc.asyncProperty(
      conversations,
      fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 4 }),
      async (messages, rooms) => {
        const open = [...new Set(openCalls(messages))];
        let current: readonly ModelMessage[] = messages;
        for (const roomTokens of rooms) {
          const summarize = async (): Promise<string> => 'In short.';
          current =
            (await compact({ messages: current, roomTokens, summarize }))?.messages ?? current;
        }
        const now = JSON.stringify(current);
        told += open.length;
        for (const line of open) expect(now).toContain(JSON.stringify(line).slice(1, -1));
      },
    );
    await fc.assert(property, { numRuns: 300 });
    // Else the property said nothing.
    expect(told).toBeGreaterThan(10);
  });
});

it('does not mistake the output of a successful program for calls with an unknown outcome', async () => {
  const printed = { text: `pay({"n":1}): ${NOT_KNOWN}\n`.repeat(400), isError: false };
  const messages = conversation(
    Array.from({ length: 10 }, () => ({
      request: 'Show.',
      blocks: [{ type: 'text', text: 'I show it.' }],
      results: [printed],
    })),
    'Now?',
  );
  const summarize = async (): Promise<string> => 'In short.';
  const compacted = await compact({ messages, roomTokens: 4000, summarize });
  expect(JSON.stringify(compacted?.messages[0])).not.toContain(NOT_KNOWN);
});

it('is not filled by a program that prints lines like those of calls with an unknown outcome', async () => {
  const lines = Array.from({ length: 800 }, (_, n) => `pay({"n":${n}}): ${NOT_KNOWN}`);
  const failed = { text: lines.join('\n'), isError: true };
  const messages = conversation(
    Array.from({ length: 10 }, () => ({
      request: 'Pay.',
      blocks: [{ type: 'text', text: 'I pay.' }],
      results: [failed],
    })),
    'Now?',
  );
  const roomTokens = 4000;
  const summarize = async (): Promise<string> => 'In short.';
  const compacted = await compact({ messages, roomTokens, summarize });
  expect(estimateMessages(compacted?.messages ?? [])).toBeLessThan(roomTokens);
  const told = JSON.stringify(compacted?.messages[0]);
  expect(told).toContain(`pay({\\"n\\":799}): ${NOT_KNOWN}`);
  expect(told).toMatch(/and \d+ more calls: of each, it is not known/);
});

function textsOf(message: ModelMessage | undefined): string[] {
  return (message?.content ?? []).flatMap((one) => (one.type === 'text' ? [one.text] : []));
}

function openCalls(messages: readonly ModelMessage[]): string[] {
  return messages
    .flatMap(({ content }) => [...content])
    .flatMap((one) => (one.type === 'tool-result' ? one.text.split('\n') : []))
    .filter((line) => line.includes(NOT_KNOWN));
}
