import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** An answer of the model: its text, or the program that it writes. */
export type Step = { readonly text: string } | { readonly code: string; readonly id?: string };

/** A model that gives these answers, one for each request. Both versions of the AI SDK take it. */
export function modelThat(...steps: readonly Step[]): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: steps.map(answerOf),
    doStream: steps.map(streamOf),
  });
}

/** A model whose answers are calls of `execute_code` with the input that a function returns, or texts. */
export function modelThatCalls(
  ...turns: readonly ((lastResult: string) => object | string | Promise<string>)[]
): MockLanguageModelV3 {
  let turn = 0;
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const next = (await turns[turn++]?.(JSON.stringify(prompt.at(-1)))) ?? 'Done.';
      if (typeof next === 'string') return answerOf({ text: next }, turn);
      const answer = answerOf({ code: '' }, turn);
      const content = answer.content.map((part) => ({ ...part, input: JSON.stringify(next) }));
      return { ...answer, content: content };
    },
  });
}

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
type Streamed = Awaited<ReturnType<MockLanguageModelV3['doStream']>>;

function answerOf(step: Step, index: number): Generated {
  const isText = 'text' in step;
  const unified = isText ? ('stop' as const) : ('tool-calls' as const);
  return {
    content: [isText ? { type: 'text', text: step.text } : callOf(step, index)],
    finishReason: { unified, raw: undefined },
    usage,
    warnings: [],
  };
}

function streamOf(step: Step, index: number): Streamed {
  const { finishReason } = answerOf(step, index);
  const parts = [
    { type: 'stream-start' as const, warnings: [] },
    ...('text' in step
      ? [
          { type: 'text-start' as const, id: '0' },
          { type: 'text-delta' as const, id: '0', delta: step.text },
          { type: 'text-end' as const, id: '0' },
        ]
      : [callOf(step, index)]),
    { type: 'finish' as const, finishReason, usage },
  ];
  return { stream: ReadableStream.from(parts) as Streamed['stream'] };
}

function callOf(
  { code, id }: Extract<Step, { code: string }>,
  index: number,
): Extract<Generated['content'][number], { type: 'tool-call' }> {
  return {
    type: 'tool-call',
    toolCallId: id ?? `call-${index}`,
    toolName: 'execute_code',
    input: JSON.stringify({ code }),
  };
}

/** What the model got as the results of its calls, in the last request. */
export function resultsIn({ doGenerateCalls, doStreamCalls }: MockLanguageModelV3): unknown[] {
  const { prompt } = [...doGenerateCalls, ...doStreamCalls].at(-1)!;
  return prompt.flatMap(({ role, content }) =>
    role === 'tool' ? content.map((part) => ('output' in part ? part.output : part)) : [],
  );
}

/** All that a stream gives. */
export async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** What a function throws, or undefined. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
