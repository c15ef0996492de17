import { assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aiSdkModel, type AiSdkModel } from '../../../src/ai-sdk/index.ts';
import { refusalOf } from '../../orchestrator/support.ts';
import { calls, converseWith, program, says } from '../../security/model-faults-conversation.ts';
import { SERVICES } from '../../security/model-faults-services.ts';
import type { Refusal, Service } from '../../security/model-service.ts';
import { anthropicAt, openaiAt } from './providers.ts';

const payment = { id: 'd1', name: 'pay', json: '{}' };

/** The service, asked through a provider of the AI SDK. */
function through(service: Service, modelAt: (baseUrl: string) => AiSdkModel): Service {
  return {
    ...service,
    start: async (replies) => {
      const running = await service.start(replies);
      return { ...running, model: aiSdkModel(modelAt(running.baseUrl)) };
    },
  };
}

const [anthropic, openai] = SERVICES;
const services = [through(anthropic, anthropicAt), through(openai, openaiAt)];

describe.each(services)('a fault of $name, through the AI SDK', (service) => {
  const [tooMany = 429, busy = 503] = service.overloads;

  it.each([
    [tooMany, 'MODEL_OVERLOADED'],
    [busy, 'MODEL_OVERLOADED'],
    [500, 'MODEL_REQUEST_FAILED'],
  ])(
    'with %i every time is an error, %s, and the session keeps its state',
    async (status, code) => {
      const refusal: Refusal = { status, retryAfter: '0.01' };
      const conversation = await converseWith(service, [
        calls(program('x = 7')),
        ...[refusal, refusal, refusal],
        calls(program('print(x)', 'p2')),
        says('Seven.'),
      ]);
      const { orchestrator, requests } = conversation;
      expect(await refusalOf(orchestrator.run('Set x.'))).toMatchObject({ code });
      expect(requests).toHaveLength(4);
      expect((await orchestrator.run('And x?')).text).toBe('Seven.');
      expect(conversation.results(5)).toEqual([{ id: 'p2', text: '7' }]);
    },
  );

  it('that passes is waited for, and what ran is not run again', async () => {
    const conversation = await converseWith(service, [
      calls(program('await pay()\nx = 7')),
      { status: 429, retryAfter: '0.01' },
      { status: busy, retryAfter: '0.01' },
      calls(program('print(x)', 'p2')),
      says('Seven.'),
    ]);
    expect((await conversation.orchestrator.run('Pay.')).text).toBe('Seven.');
    expect(conversation.paid).toHaveLength(1);
    expect(conversation.results(4)).toEqual([{ id: 'p2', text: '7' }]);
  });

  it('that delays the request for long does not delay an abort', async () => {
    const conversation = await converseWith(service, [
      calls(program('x = 7')),
      { status: 429, retryAfter: '20' },
      calls(program('print(x)', 'p2')),
      says('Seven.'),
    ]);
    const { orchestrator, requests } = conversation;
    const controller = new AbortController();
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'model-retry-scheduled') controller.abort();
    };
    const { code } = await refusalOf(
      orchestrator.run('Go.', { signal: controller.signal, onEvent }),
    );
    expect(code).toBe('ABORTED');
    expect(requests).toHaveLength(2);
    await orchestrator.run('And x?');
    expect(conversation.results(3)).toEqual([{ id: 'p2', text: '7' }]);
  });

  it('that leaves an answer hanging does not delay an abort, and nothing of it runs', async () => {
    const answer = calls(program('await pay()'), payment);
    const hanging = { ...answer, bytes: service.bytesBeforeEnd(answer), ending: 'hang' } as const;
    const conversation = await converseWith(service, [hanging, says('Here.')]);
    const { orchestrator, paid, provider } = conversation;
    const controller = new AbortController();
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'tool-input-delta') controller.abort();
    };
    const { code } = await refusalOf(
      orchestrator.run('Pay.', { signal: controller.signal, onEvent }),
    );
    expect(code).toBe('ABORTED');
    expect(paid).toEqual([]);
    expect(provider.created.size).toBe(0);
    expect((await orchestrator.run('Again?')).text).toBe('Here.');
  });

  it('that cuts an answer off at any byte runs nothing of it', async () => {
    const conversation = await converseWith(service, [], { maxRetries: 0 });
    const { orchestrator, provider, requests, replies, paid } = conversation;
    const answer = calls({ text: 'I pay. 💶' }, program('await pay()'), payment);
    const bytes = integer({ min: 1, max: service.bytesBeforeEnd(answer) });
    await assert(
      asyncProperty(bytes, constantFrom('cut', 'end'), async (length, ending) => {
        replies[requests.length] = { ...answer, bytes: length, ending };
        const { code } = await refusalOf(orchestrator.run('Pay.'));
        expect(code).toMatch(/^MODEL_(?:STREAM_CUT|REQUEST_FAILED)$/);
      }),
      { numRuns: 100 },
    );
    expect(paid).toEqual([]);
    expect(provider.created.size).toBe(0);
    replies[requests.length] = answer;
    replies.push(says('Paid.'));
    expect((await orchestrator.run('Pay.')).toolCalls).toBe(2);
    expect(paid).toHaveLength(2);
  });

  it('that stops for its token limit in the middle of the code runs nothing', async () => {
    const cutOff = { id: 'p1', name: 'execute_code', json: '{"code": "await pay()\\nawait pay(' };
    const conversation = await converseWith(service, [
      { parts: [payment, cutOff], stop: 'length' },
      says('Shorter.'),
    ]);
    expect((await conversation.orchestrator.run('Pay.')).text).toBe('Shorter.');
    expect(conversation.paid).toEqual([]);
    expect(conversation.provider.created.size).toBe(0);
  });
});
