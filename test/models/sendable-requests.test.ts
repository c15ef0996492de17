import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiSdkModel } from '../../src/ai-sdk/index.ts';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import type { ModelMessage, ModelRequest } from '../../src/models/language-model.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { ask, question, request } from '../support/model-requests.ts';
import { answer, startOpenAIServer } from '../support/openai-server.ts';

type Asked = Partial<ModelRequest>;

async function sentToAnthropic(asked: Asked): Promise<string> {
  await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
  const { baseUrl } = server;
  await ask(anthropicModel({ model: 'claude', apiKey: 'k', baseUrl }), asked);
  return JSON.stringify(server.requests[0]?.body);
}

async function sentToBedrock(asked: Asked): Promise<string> {
  const events = [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }];
  await using server = await startBedrockServer([{ events, ending: 'end' }]);
  await ask(bedrockModel({ model: 'claude', client: server.client }), asked);
  return JSON.stringify(server.requests[0]?.body);
}

async function sentToOpenAI(asked: Asked): Promise<string> {
  await using server = await startOpenAIServer([answer([])]);
  const { baseUrl } = server;
  await ask(openaiModel({ model: 'gpt', apiKey: 'k', baseUrl }), asked);
  return JSON.stringify(server.requests[0]?.body);
}

async function sentToAiSdk(asked: Asked, provider: string = 'test'): Promise<string> {
  const chunks = [{ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} }];
  const stream = (): never => simulateReadableStream({ chunks }) as never;
  const mock = new MockLanguageModelV3({ provider, doStream: async () => ({ stream: stream() }) });
  await ask(aiSdkModel(mock), asked);
  return JSON.stringify(mock.doStreamCalls[0]?.prompt);
}

const services = [
  ['the Anthropic API', sentToAnthropic],
  ['Amazon Bedrock', sentToBedrock],
  ['the Chat Completions API', sentToOpenAI],
  ['a model of the AI SDK', sentToAiSdk],
] as const;

/** A conversation with a call, its result, and a new question. */
function withCall(id: string, name: string, text: string = 'No.'): readonly ModelMessage[] {
  return [
    question,
    { role: 'assistant', content: [{ type: 'tool-use', id, name, input: {} }] },
    { role: 'user', content: [{ type: 'tool-result', toolUseId: id, text, isError: false }] },
  ];
}

describe.each(services)('%s', (_, sentFor) => {
  it('gets no half of a surrogate pair, for which it would refuse the request', async () => {
    const half = 'Tea \ud83d';
    const sent = await sentFor({
      system: half,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: half },
            { type: 'document', mediaType: 'text/plain', title: half, text: '🎉' },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: half }] },
        ...withCall('a', 'execute_code', half),
      ],
    });
    expect(sent).not.toMatch(/\\ud[89a-f]/i);
    expect(sent.split('Tea \ufffd').length).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['$read.file', '_read_file'],
    ['', '_'],
    ['x'.repeat(200), 'x'.repeat(64)],
  ])(
    'gets the name of a tool that a model made up in a form that it accepts: %j',
    async (made, name) => {
      const sent = await sentFor({ messages: withCall('a', made) });
      expect(sent).toMatch(new RegExp(`"(name|toolName)":"${name}"`));
    },
  );

  it('gets the names of its tools as they are', async () => {
    const [tool] = request().tools;
    const name = 'x'.repeat(100);
    const sent = await sentFor({ tools: [{ ...tool!, name }], messages: withCall('a', name) });
    expect(sent).toContain(`"${name}"`);
  });
});

const LONG_ID = `chatcmpl-tool-${'7'.repeat(32)}`;
const DOTTED_ID = 'functions.execute_code:0';

describe('the id of a call by another model', () => {
  it.each([
    ['the Anthropic API', sentToAnthropic, DOTTED_ID],
    ['Amazon Bedrock', sentToBedrock, DOTTED_ID],
    ['the Chat Completions API', sentToOpenAI, LONG_ID],
  ])('that %s would refuse is replaced, in its result too', async (_, sentFor, id) => {
    const messages = withCall(id, 'execute_code');
    const sent = await sentFor({ messages });
    expect(sent).not.toContain(id);
    const [call, result, ...more] = sent.match(/call_[0-9a-f]{32}/g) ?? [];
    expect(call).toBe(result);
    expect(more).toEqual([]);
    expect(await sentFor({ messages })).toBe(sent);
  });

  it('is another one for Claude by the AI SDK', async () => {
    const messages = withCall(DOTTED_ID, 'execute_code');
    const sent = await sentToAiSdk({ messages }, 'anthropic.messages');
    expect(sent).toContain('"toolCallId":"call_');
    expect(sent).not.toContain(DOTTED_ID);
  });

  it('stays for services that may read it', async () => {
    const messages = withCall(DOTTED_ID, 'execute_code');
    expect(await sentToOpenAI({ messages })).toContain(DOTTED_ID);
    expect(await sentToAiSdk({ messages })).toContain(DOTTED_ID);
  });
});
