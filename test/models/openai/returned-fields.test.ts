import { describe, expect, it } from 'vitest';
import { openaiModel } from '../../../src/models/openai/model.ts';
import type { AssistantBlock, ModelMessage } from '../../../src/models/language-model.ts';
import { ask, endOf, failureOf, question } from '../../support/model-requests.ts';
import { answer, callDelta, startOpenAIServer } from '../../support/openai-server.ts';
import type { ChatReply } from '../../support/openai-server.ts';

const name = 'execute_code';
const call = callDelta(0, '{}', { id: 'a', name });
const result: ModelMessage = {
  role: 'user',
  content: [{ type: 'tool-result', toolUseId: 'a', text: '1', isError: false }],
};

/** The content of an answer of a service. */
async function contentOf(reply: ChatReply): Promise<readonly AssistantBlock[]> {
  await using server = await startOpenAIServer([reply]);
  const model = openaiModel({ model: 'gpt-test', apiKey: 'k', baseUrl: server.baseUrl });
  return endOf(await ask(model)).content;
}

/** The messages that another service with a model of the same id gets, without the system's. */
async function sentElsewhere(messages: readonly ModelMessage[]): Promise<unknown> {
  await using server = await startOpenAIServer([answer([{ content: 'Tea.' }])]);
  const model = openaiModel({ model: 'gpt-test', apiKey: 'k', baseUrl: server.baseUrl });
  await ask(model, { messages });
  const { messages: sent } = server.requests[0]!.body as { messages: unknown[] };
  return sent.slice(1);
}

describe('what a service sends beside the fields of OpenAI', () => {
  it('does not go to another service, which may refuse it', async () => {
    const content = await contentOf(answer([{ reasoning_content: 'Hm.' }, call], 'tool_calls'));
    const messages = [question, { role: 'assistant', content } as const, result];
    expect(JSON.stringify(await sentElsewhere(messages))).not.toContain('Hm.');
  });

  it('is not kept of an answer without calls, for which no service wants it', async () => {
    expect(await contentOf(answer([{ reasoning_content: 'Hm.' }, { content: 'Tea.' }]))).toEqual([
      { type: 'text', text: 'Tea.' },
    ]);
    expect(await contentOf(answer([{ reasoning_content: 'Hm.' }], 'length'))).toEqual([]);
  });

  it('is refused if it is far larger than a signature', async () => {
    const extra = { extra_content: { google: 'x'.repeat(1024 * 1024) } };
    const calls = [{ index: 0, id: 'a', function: { name, arguments: '{}' }, ...extra }];
    await using server = await startOpenAIServer([answer([{ tool_calls: calls }], 'tool_calls')]);
    const model = openaiModel({ model: 'gpt-test', apiKey: 'k', baseUrl: server.baseUrl });
    expect((await failureOf(model)).error).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('extra_content of its calls has more than 1048576 bytes'),
    });
  });
});

it('questions around an answer that says nothing are one message', async () => {
  const blank = { role: 'assistant', content: [{ type: 'text', text: '\n' }] } as const;
  const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const text = 'Which orders are the largest?';
  expect(await sentElsewhere([question, blank, question])).toEqual([
    { role: 'user', content: `${text}\n${text}` },
  ]);
  const withImage: ModelMessage = { role: 'user', content: [image] };
  expect(await sentElsewhere([question, blank, withImage])).toMatchObject([
    { role: 'user', content: [{ type: 'text', text }, { type: 'image_url' }] },
  ]);
});
