import { describe, expect, it } from 'vitest';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type { BedrockModelOptions } from '../../../src/models/bedrock/model.ts';
import type { ModelRequest } from '../../../src/models/language-model.ts';
import { startBedrockServer } from '../../support/bedrock-server.ts';
import { ask, question } from '../../support/model-requests.ts';

const cachePoint = { cachePoint: { type: 'default' } };
const tool = { name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } };

/** The request that the service gets for this one. */
async function sent(
  options: Omit<BedrockModelOptions, 'client'>,
  changes: Partial<ModelRequest>,
): Promise<unknown> {
  await using server = await startBedrockServer([
    { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
  ]);
  await ask(bedrockModel({ ...options, client: server.client }), changes);
  return server.requests[0]?.body;
}

describe('a request to Bedrock', () => {
  it('for a Claude model marks tools, system text and conversation for the cache', async () => {
    const tools = [tool, { ...tool, name: 'other', inputExamples: [{ id: 7 }], strict: true }];
    expect(await sent({ model: 'us.anthropic.claude-test' }, { tools })).toEqual({
      inferenceConfig: { maxTokens: 1024 },
      system: [{ text: 'Answer briefly.' }, cachePoint],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'lookup',
              description: 'Looks up.',
              inputSchema: { json: { type: 'object' } },
            },
          },
          {
            toolSpec: {
              name: 'other',
              description: 'Looks up.\nExample of arguments: {"id":7}',
              inputSchema: { json: { type: 'object' } },
              strict: true,
            },
          },
          cachePoint,
        ],
      },
      messages: [
        { role: 'user', content: [{ text: 'Which orders are the largest?' }, cachePoint] },
      ],
    });
  });

  it.each([
    ['for another model has no marks', { model: 'meta.llama-test' }, false],
    ['has marks where they are asked for', { model: 'arn:profile', promptCaching: true }, true],
    [
      'has none where they are declined',
      { model: 'anthropic.claude-3', promptCaching: false },
      false,
    ],
  ])('%s', async (_, options, marked) => {
    expect(JSON.stringify(await sent(options, {})).includes('cachePoint')).toBe(marked);
  });

  it('joins messages of one role, and leaves out blank texts', async () => {
    const body = await sent(
      { model: 'amazon.test-v1' },
      {
        system: '',
        tools: [],
        messages: [
          question,
          { role: 'assistant', content: [{ type: 'text', text: '\n' }] },
          {
            role: 'user',
            content: [
              { type: 'tool-result', toolUseId: 'a', text: '', isError: false },
              { type: 'tool-result', toolUseId: 'b', text: 'No such order.', isError: true },
            ],
          },
        ],
      },
    );
    expect(body).toEqual({
      inferenceConfig: { maxTokens: 1024 },
      messages: [
        {
          role: 'user',
          content: [
            { text: 'Which orders are the largest?' },
            { toolResult: { toolUseId: 'a', content: [{ text: '(nothing)' }] } },
            {
              toolResult: {
                toolUseId: 'b',
                content: [{ text: 'No such order.' }],
                status: 'error',
              },
            },
          ],
        },
      ],
    });
  });

  it('leaves out an earlier answer that is only thinking', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' } as const;
    const body = await sent(
      { model: 'amazon.test-v1' },
      { messages: [question, { role: 'assistant', content: [thinking] }, question] },
    );
    const text = 'Which orders are the largest?';
    expect(body).toMatchObject({ messages: [{ role: 'user', content: [{ text }, { text }] }] });
  });

  it("carries the model's own parameters", async () => {
    const additionalModelRequestFields = { thinking: { type: 'adaptive' }, list: [1, null, true] };
    expect(await sent({ model: 'm', additionalModelRequestFields }, {})).toMatchObject({
      additionalModelRequestFields,
    });
  });
});
