import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelStreamPart,
} from '../../../src/models/language-model.ts';
import type { WireEvent } from '../../support/messages-events.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { startAnthropicServer, wholeAnswer, type Reply } from '../../support/anthropic-server.ts';
import { failingModel, failure } from './failing-model.ts';
import { converse, refusalOf, says, uses } from '../support.ts';

/** At once, so that no test waits. */
const overloaded = failure('MODEL_OVERLOADED', { retryAfterMs: 0 });

const note = {
  name: 'note',
  description: 'Notes.',
  allowedCallers: ['direct'] as const,
  run: () => 'noted',
};

function listening(): { readonly events: RunEvent[]; readonly onEvent: (event: RunEvent) => void } {
  const events: RunEvent[] = [];
  return { events, onEvent: (event) => void events.push(event) };
}

function retries(events: readonly RunEvent[]): (RunEvent & { type: 'model-retry-scheduled' })[] {
  return events.flatMap((one) => (one.type === 'model-retry-scheduled' ? [one] : []));
}

describe('a model call with a temporary failure', () => {
  it('is made again, with an event', async () => {
    const model = failingModel('a', [overloaded, overloaded, says('Here.')]);
    const { orchestrator } = converse([], { model });
    const { events, onEvent } = listening();
    expect(await orchestrator.run('Go.', { onEvent })).toMatchObject({ text: 'Here.', turns: 1 });
    const retry = {
      turn: 1,
      model: 'a',
      nextModel: 'a',
      waitMs: 0,
      error: { code: 'MODEL_OVERLOADED', message: 'It is MODEL_OVERLOADED.' },
    };
    expect(retries(events)).toMatchObject([retry, retry]);
  });

  it('is made again as often as maxRetries says', async () => {
    const model = failingModel('a', [overloaded, overloaded, overloaded]);
    const { orchestrator } = converse([], { model, maxRetries: 1 });
    expect((await refusalOf(orchestrator.run('Go.'))).code).toBe('MODEL_OVERLOADED');
    expect(model.requests).toHaveLength(2);
  });

  it('in each turn as often as in the first', async () => {
    const model = failingModel('a', [overloaded, [uses('note', {})], overloaded, says('Here.')]);
    const { orchestrator } = converse([], { model, maxRetries: 1, toolList: [note] });
    expect((await orchestrator.run('Go.')).text).toBe('Here.');
  });

  it('after a part of the answer sends an event that the part is void, and does not keep it', async () => {
    const told = [...says('Half of'), uses('note', { text: 'a' })];
    const model = failingModel('a', [
      { ...failure('MODEL_STREAM_CUT', { retryAfterMs: 0 }), told },
      says('All of it.'),
    ]);
    const { orchestrator } = converse([], { model, toolList: [note] });
    const { events, onEvent } = listening();
    const { messages } = await orchestrator.run('Go.', { onEvent });
    expect(events.map(({ type }) => type)).toEqual([
      'run-started',
      'turn-started',
      'text-delta',
      'tool-input-delta',
      'answer-discarded',
      'model-retry-scheduled',
      'text-delta',
      'turn-ended',
      'run-ended',
    ]);
    expect(messages.at(-1)?.content).toEqual(says('All of it.'));
  });

  it('that stays keeps the part of the answer in the conversation', async () => {
    const cut = { ...failure('MODEL_STREAM_CUT', { retryAfterMs: 0 }), told: says('Half of') };
    const { orchestrator } = converse([], { model: failingModel('a', [cut, cut]), maxRetries: 1 });
    expect((await refusalOf(orchestrator.run('Go.'))).code).toBe('MODEL_STREAM_CUT');
    expect(orchestrator.messages.at(-1)?.content).toEqual(
      says('Half of\n[This answer was cut off here.]'),
    );
  });

  it('of a model that gives no last part fails with what its author must do', async () => {
    const model: LanguageModel = {
      id: 'mine',
      async *stream(): AsyncGenerator<ModelStreamPart> {
        yield { type: 'text-delta', text: 'Half of' };
      },
    };
    const { orchestrator } = converse([], { model, maxRetries: 0 });
    const { code, message } = await refusalOf(orchestrator.run('Go.'));
    expect(code).toBe('MODEL_STREAM_CUT');
    expect(message).toMatch(/^The stream of mine ended without .* yield a part of .* answer-ended/);
  });

  it.each([
    ['was retried by its client', failure('MODEL_OVERLOADED', { retriedByClient: true })],
    ['puts it off for more than a minute', failure('MODEL_OVERLOADED', { retryAfterMs: 61_000 })],
    ['refuses the request', failure('MODEL_REQUEST_FAILED', { retriedByClient: true })],
    ['refuses the key', failure('MODEL_AUTHENTICATION_FAILED')],
    ['throws what is not known', { error: new TypeError('Oh.') }],
  ])('is not made again if it %s', async (_, step) => {
    const model = failingModel('a', [step, says('Never said.')]);
    const { orchestrator } = converse([], { model });
    await refusalOf(orchestrator.run('Go.'));
    expect(model.requests).toHaveLength(1);
  });

  it('waits for as long as the service asks, and an abort ends the wait at once', async () => {
    const model = failingModel('a', [failure('MODEL_OVERLOADED', { retryAfterMs: 59_000 })]);
    const { orchestrator } = converse([], { model });
    const controller = new AbortController();
    const { events, onEvent } = listening();
    const refusal = refusalOf(
      orchestrator.run('Go.', {
        signal: controller.signal,
        onEvent: (event) => {
          onEvent(event);
          if (event.type === 'model-retry-scheduled') setImmediate(() => controller.abort());
        },
      }),
    );
    expect((await refusal).code).toBe('ABORTED');
    expect(retries(events)).toMatchObject([{ waitMs: 59_000 }]);
    expect(model.requests).toHaveLength(1);
  });

  it('without a requested wait waits longer each time', async () => {
    const cut = failure('MODEL_STREAM_CUT');
    const model = failingModel('a', [cut, cut, says('Here.')]);
    const { orchestrator } = converse([], { model });
    const { events, onEvent } = listening();
    await orchestrator.run('Go.', { onEvent });
    const [first, second] = retries(events).map(({ waitMs }) => waitMs);
    expect(first).toBeGreaterThanOrEqual(250);
    expect(first).toBeLessThanOrEqual(500);
    expect(second).toBeGreaterThanOrEqual(500);
    expect(second).toBeLessThanOrEqual(1000);
  });
});

describe('a real client', () => {
  const fault = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded.' } };
  const refused: Reply = {
    status: 529,
    error: { type: 'overloaded_error', message: 'Overloaded.' },
    headers: { 'retry-after-ms': '1' },
  };

  function answer(events: readonly WireEvent[]): Reply {
    return { events, ending: 'end' };
  }

  it('has its own retries before an answer begins, and no others are added', async () => {
    await using server = await startAnthropicServer([refused, refused, refused]);
    const { baseUrl } = server;
    const model = anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl });
    const { orchestrator } = converse([], { model });
    expect((await refusalOf(orchestrator.run('Go.'))).code).toBe('MODEL_OVERLOADED');
    expect(server.requests).toHaveLength(3);
  });

  it('whose service breaks in the middle of an answer is asked again', async () => {
    const whole = wholeAnswer({ content: [{ type: 'text', text: 'All of it.' }] });
    await using server = await startAnthropicServer([
      answer([...whole.slice(0, -3), fault]),
      answer(whole),
    ]);
    const { baseUrl } = server;
    const model = anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl });
    const { orchestrator } = converse([], { model });
    expect((await orchestrator.run('Go.')).text).toBe('All of it.');
  });
});

describe('a fallback model', () => {
  it('is asked if the first fails for good, and for the rest of the run', async () => {
    const model = failingModel('a', [failure('MODEL_AUTHENTICATION_FAILED'), says('Back.')]);
    const fallbackModel = failingModel('b', [[uses('note', {})], says('Here.')]);
    const { orchestrator } = converse([], { model, fallbackModel, toolList: [note] });
    const { events, onEvent } = listening();
    expect((await orchestrator.run('Go.', { onEvent })).text).toBe('Here.');
    expect(retries(events)).toMatchObject([
      { model: 'a', nextModel: 'b', waitMs: 0, error: { code: 'MODEL_AUTHENTICATION_FAILED' } },
    ]);
    expect(model.requests).toHaveLength(1);
    // The next run begins with the first one again.
    expect((await orchestrator.run('Again.')).text).toBe('Back.');
  });

  it('is asked after the retries, and has as many of its own', async () => {
    const model = failingModel('a', [overloaded, overloaded]);
    const fallbackModel = failingModel('b', [overloaded, says('Here.')]);
    const { orchestrator } = converse([], { model, fallbackModel, maxRetries: 1 });
    expect((await orchestrator.run('Go.')).text).toBe('Here.');
    expect(model.requests).toHaveLength(2);
  });

  it('is asked if a model of your own throws an unknown error', async () => {
    const model = failingModel('a', [{ error: new TypeError('Oh.') }]);
    const { orchestrator } = converse([], {
      model,
      fallbackModel: failingModel('b', [says('Here.')]),
    });
    expect((await orchestrator.run('Go.')).text).toBe('Here.');
  });

  it('that fails too ends the run with what it threw', async () => {
    const model = failingModel('a', [failure('MODEL_AUTHENTICATION_FAILED')]);
    const fallbackModel = failingModel('b', [failure('MODEL_REQUEST_FAILED')]);
    const { orchestrator } = converse([], { model, fallbackModel });
    expect((await refusalOf(orchestrator.run('Go.'))).code).toBe('MODEL_REQUEST_FAILED');
  });

  it('is not asked if the run was aborted', async () => {
    const controller = new AbortController();
    const fallbackModel = failingModel('b', [says('Never said.')]);
    const model: LanguageModel = {
      id: 'a',
      async *stream() {
        yield { type: 'text-delta', text: 'So' };
        controller.abort();
        throw new Error('The connection is gone.');
      },
    };
    const { orchestrator } = converse([], { model, fallbackModel });
    const { signal } = controller;
    const { events, onEvent } = listening();
    const error = await refusalOf(orchestrator.run('Go.', { signal, onEvent }));
    expect(error.code).toBe('ABORTED');
    expect(fallbackModel.requests).toEqual([]);
    expect(retries(events)).toEqual([]);
  });
});

describe('a block that only its own model understands', () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' } as const;
  const opaque = { type: 'opaque', value: { type: 'server_tool_use' } } as const;

  it('is not sent to another model, and stays in the conversation for its own', async () => {
    const model = failingModel('a', [
      [thinking, opaque, ...says('I note it.'), uses('note', {})],
      failure('MODEL_REQUEST_FAILED'),
      says('Back.'),
    ]);
    const fallbackModel = failingModel('b', [says('Here.')]);
    const { orchestrator } = converse([], { model, fallbackModel, toolList: [note] });
    await orchestrator.run('Go.');
    await orchestrator.run('Again.');
    const blocks = (request: ModelRequest | undefined): readonly string[] | undefined =>
      request?.messages[1]?.content.map(({ type }) => type);
    expect(blocks(fallbackModel.requests[0])).toEqual(['text', 'tool-use']);
    expect(blocks(model.requests[2])).toEqual(['thinking', 'opaque', 'text', 'tool-use']);
    expect(model.requests[2]?.messages[1]?.content.slice(0, 2)).toEqual([thinking, opaque]);
  });

  it('as a whole answer leaves one that services take', async () => {
    const conversation = {
      version: 1,
      messages: [
        { role: 'user', content: says('Go.') },
        { role: 'assistant', content: [thinking], model: 'c' },
        { role: 'user', content: says('Again.') },
        { role: 'assistant', content: says('Here.') },
      ],
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
      session: { key: 'k', hasState: false },
    };
    const model = failingModel('a', [says('Yes.')]);
    const { orchestrator } = converse([], { model, conversation });
    await orchestrator.run('And?');
    const sent: readonly ModelMessage[] = model.requests[0]?.messages ?? [];
    expect(sent[1]).toEqual({ role: 'assistant', content: says('[This answer had no text.]') });
    // It is still there for who wrote it.
    expect(orchestrator.messages[1]).toEqual(conversation.messages[1]);
  });

  it('stays with its model when the conversation is a document', async () => {
    const model = failingModel('a', [[thinking, ...says('Here.')]]);
    const { orchestrator } = converse([], { model });
    await orchestrator.run('Go.');
    const conversation: unknown = JSON.parse(JSON.stringify(orchestrator));
    const other = failingModel('b', [says('Yes.')]);
    await converse([], { model: other, conversation }).orchestrator.run('And?');
    expect(other.requests[0]?.messages[1]?.content).toEqual(says('Here.'));
  });
});
