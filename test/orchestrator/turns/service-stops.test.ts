import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import type { WireEvent } from '../../support/messages-events.ts';
import { ProgrammaticToolOrchestrator } from '../../../src/orchestrator/orchestrator.ts';
import type { RunResult } from '../../../src/orchestrator/events/run-events.ts';
import type { PtcError } from '../../../src/shared/errors.ts';
import { RecordingProvider } from '../../../src/testing/recording-provider.ts';
import { startAnthropicServer, wholeAnswer } from '../../support/anthropic-server.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';
import { refusalOf } from '../support.ts';

const text = { type: 'text', text: 'So far, 4 of' } as const;
const program = {
  type: 'tool_use',
  id: 'a',
  name: 'execute_code',
  input: { code: 'print(1)' },
} as const;

/** What comes of a run whose requests are answered with these events, by the real client. */
async function converse<Outcome>(
  answers: readonly (readonly WireEvent[])[],
  outcomeOf: (pending: Promise<RunResult>) => Promise<Outcome>,
): Promise<{ outcome: Outcome; requests: readonly unknown[]; sandboxes: number }> {
  const replies = answers.map((events) => ({ events, ending: 'end' }) as const);
  await using server = await startAnthropicServer(replies);
  const provider = new RecordingProvider(unisolatedLocalProvider());
  await using orchestrator = new ProgrammaticToolOrchestrator({
    model: anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl: server.baseUrl }),
    executor: { provider },
    tools: [],
  });
  const outcome = await outcomeOf(orchestrator.run('How many?'));
  return {
    outcome,
    requests: server.requests.map(({ body }) => body),
    sandboxes: provider.created.size,
  };
}

function refused(stopDetails: object | null): WireEvent[] {
  return wholeAnswer({ content: [text] }).map((event) =>
    event.type === 'message_delta'
      ? { ...event, delta: { stop_reason: 'refusal', stop_details: stopDetails } }
      : event,
  );
}

async function refusal(stopDetails: object | null): Promise<PtcError> {
  return (await converse([refused(stopDetails)], refusalOf)).outcome;
}

describe('a run whose model', () => {
  it('has filled its context window ends at once, says what to do, and runs nothing', async () => {
    const events = wholeAnswer({
      content: [text, program],
      stopReason: 'model_context_window_exceeded',
    });
    const { outcome, requests, sandboxes } = await converse([events], refusalOf);
    expect(outcome).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringContaining('Start a new conversation'),
      details: {
        stopReason: 'model_context_window_exceeded',
        text: 'So far, 4 of',
        transcript: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
      },
    });
    expect(requests).toHaveLength(1);
    expect(sandboxes).toBe(0);
  });

  it('refuses has the reason of its service in the error', async () => {
    const stopDetails = { type: 'refusal', category: 'cyber', explanation: 'It could do harm' };
    expect(await refusal(stopDetails)).toMatchObject({
      code: 'MODEL_REFUSED',
      message: 'The model declined to answer: It could do harm. Rephrase the request.',
      details: { stopDetails, text: 'So far, 4 of' },
    });
  });

  it.each([[null], [{ type: 'refusal', category: null, explanation: null }]])(
    'refuses without a reason (%j) is told as that',
    async (stopDetails) => {
      const error = await refusal(stopDetails);
      expect(error.message).toBe('The model declined to answer. Rephrase the request.');
      expect(error.details['stopDetails']).toEqual(stopDetails ?? undefined);
    },
  );

  it('pauses goes on with its own turn, and both answers are counted, by tokens and service tier', async () => {
    const usage = {
      input_tokens: 7,
      output_tokens: 5,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 50 },
      service_tier: 'priority',
    };
    const { outcome, requests } = await converse(
      [
        wholeAnswer({ content: [text], stopReason: 'pause_turn', usage }),
        wholeAnswer({ content: [{ type: 'text', text: ' 9.' }], usage }),
      ],
      async (pending) => pending,
    );
    expect(requests[1]).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: [{ text: 'So far, 4 of' }] }],
    });
    expect(outcome.usage).toEqual({
      inputTokens: 414,
      outputTokens: 10,
      cachedInputTokens: 0,
      cacheWriteInputTokens: 400,
      cacheWritesByTtl: { '5m': 300, '1h': 100 },
      answersByServiceTier: { priority: 2 },
    });
  });
});
