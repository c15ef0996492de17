import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { OpenAIAnswer } from '../../src/models/openai/answer.ts';
import { rootMessageOf } from '../../src/models/model-errors.ts';
import { streamAnswer } from '../../src/models/shared/stream-answer.ts';
import { startBedrockServer, type ConverseEvent } from '../support/bedrock-server.ts';
import { ask, endOf } from '../support/model-requests.ts';

const tea: ConverseEvent[] = [
  { event: 'messageStart', fields: { role: 'assistant' } },
  { event: 'contentBlockDelta', fields: { contentBlockIndex: 0, delta: { text: 'Tea.' } } },
  { event: 'messageStop', fields: { stopReason: 'end_turn' } },
  { event: 'metadata', fields: { usage: { inputTokens: 10, outputTokens: 20 } } },
];

it('an answer of Bedrock is whole after its last event, even if the connection stays open', async () => {
  await using server = await startBedrockServer([{ events: tea, ending: 'hang' }]);
  const model = bedrockModel({ model: 'amazon.test-v1', client: server.client });
  expect(endOf(await ask(model))).toMatchObject({
    content: [{ type: 'text', text: 'Tea.' }],
    usage: { inputTokens: 10, outputTokens: 20 },
  });
});

it('token counts that never come are waited for 5 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isWaiting = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve;
  });
  /** A service that sends no token counts and keeps its connection open. */
  async function* events(signal: AbortSignal): AsyncGenerator {
    yield { choices: [{ delta: { content: 'Tea.' }, finish_reason: 'stop' }] };
    isWaiting();
    await once(signal, 'abort');
  }
  const model: LanguageModel = {
    id: 'gpt-test',
    stream: ({ signal }) =>
      streamAnswer({
        model: 'gpt-test',
        signal,
        answer: new OpenAIAnswer('gpt-test', () => ''),
        open: async (closed) => events(closed),
        toError: () => expect.unreachable(),
      }),
  };
  const answered = ask(model);
  let hasEnded = false;
  const ended = answered.finally(() => (hasEnded = true));
  await waiting;
  await vi.advanceTimersByTimeAsync(4999);
  expect(hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(endOf(await ended)).toMatchObject({
    content: [{ type: 'text', text: 'Tea.' }],
    stopReason: 'end',
  });
});

it('the message of an error that is its own cause is found', () => {
  const outer = new Error('It is so.');
  outer.cause = new Error('Because of the outer one.', { cause: outer });
  expect(rootMessageOf(outer)).toMatch(/^(It is so|Because of the outer one)\.$/);
});
