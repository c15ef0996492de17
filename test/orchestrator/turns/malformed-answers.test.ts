import { expect, it } from 'vitest';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { startBedrockServer, type ConverseEvent } from '../../support/bedrock-server.ts';
import { converse } from '../support.ts';

function answer(text: string, stopReason: string): ConverseEvent[] {
  return [
    { event: 'messageStart', fields: { role: 'assistant' } },
    { event: 'contentBlockDelta', fields: { contentBlockIndex: 0, delta: { text } } },
    { event: 'contentBlockStop', fields: { contentBlockIndex: 0 } },
    { event: 'messageStop', fields: { stopReason } },
    { event: 'metadata', fields: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } },
  ];
}

it.each(['malformed_tool_use', 'malformed_model_output'])(
  'an answer that Bedrock stops with %s is void, and the model is asked again',
  async (stopReason) => {
    await using server = await startBedrockServer([
      { events: answer('Half of', stopReason), ending: 'end' },
      { events: answer('All of it.', 'end_turn'), ending: 'end' },
    ]);
    const model = bedrockModel({ model: 'amazon.test-v1', client: server.client });
    const { orchestrator } = converse([], { model });
    const events: RunEvent[] = [];
    const result = await orchestrator.run('Go.', { onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({ text: 'All of it.', turns: 1 });
    expect(result.messages).toHaveLength(2);
    expect(events.map(({ type }) => type)).toContain('answer-discarded');
    expect(events.find(({ type }) => type === 'model-retry-scheduled')).toMatchObject({
      nextModel: 'amazon.test-v1',
      error: { code: 'MODEL_REQUEST_FAILED', message: expect.stringContaining(stopReason) },
    });
  },
);
