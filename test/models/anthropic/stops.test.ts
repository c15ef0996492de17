import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import type { ModelStreamEnd } from '../../../src/models/language-model.ts';
import { startAnthropicServer, wholeAnswer } from '../../support/anthropic-server.ts';
import type { WireEvent } from '../../support/messages-events.ts';
import { ask, endOf } from '../../support/model-requests.ts';

async function endAfter(events: readonly WireEvent[]): Promise<ModelStreamEnd> {
  await using server = await startAnthropicServer([{ events, ending: 'end' }]);
  const { baseUrl } = server;
  return endOf(await ask(anthropicModel({ model: 'claude-test', apiKey: 'test-key', baseUrl })));
}

describe('an answer from the Anthropic API', () => {
  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['tool_use', 'tool-use'],
    ['max_tokens', 'max-tokens'],
    ['model_context_window_exceeded', 'context-window-exceeded'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['tea_break', 'unknown'],
  ])('that stopped for %s is reported as %s', async (rawStopReason, stopReason) => {
    expect(await endAfter(wholeAnswer({ stopReason: rawStopReason }))).toMatchObject({
      stopReason,
      rawStopReason,
    });
  });

  it.each([
    [{ type: 'refusal', category: 'cyber', explanation: 'It could do harm.' }],
    [{ type: 'refusal', category: null, explanation: null }],
    [null],
  ])('that is a refusal says why, as far as the service does: %j', async (stopDetails) => {
    const events = wholeAnswer({}).map((event) =>
      event.type === 'message_delta'
        ? { ...event, delta: { stop_reason: 'refusal', stop_details: stopDetails } }
        : event,
    );
    const end = await endAfter(events);
    expect(end.stopReason).toBe('refusal');
    expect(end.stopDetails).toEqual(stopDetails ?? undefined);
  });

  it('keeps its stop reason and its details if the counts come in an event of their own', async () => {
    const events = wholeAnswer({});
    const stopDetails = { type: 'refusal', category: 'cyber', explanation: 'It could do harm.' };
    const stop = {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: stopDetails },
    };
    const counts = { type: 'message_delta', delta: {}, usage: { output_tokens: 50 } };
    expect(await endAfter([events[0]!, stop, counts, events.at(-1)!])).toMatchObject({
      stopReason: 'refusal',
      rawStopReason: 'refusal',
      stopDetails,
      usage: { outputTokens: 50 },
    });
  });

  it('is whole after its last event, even if the service keeps the connection open', async () => {
    const events = wholeAnswer({ content: [{ type: 'text', text: 'Tea.' }] });
    await using server = await startAnthropicServer([{ events, ending: 'hang' }]);
    const { baseUrl } = server;
    const model = anthropicModel({ model: 'claude-test', apiKey: 'test-key', baseUrl });
    expect(endOf(await ask(model)).content).toEqual([{ type: 'text', text: 'Tea.' }]);
    await expect(server.clientGone).resolves.toEqual([]);
  });
});
