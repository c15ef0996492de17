import { setTimeout as pause } from 'node:timers/promises';
import { assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../orchestrator/support.ts';
import { calls, converseWith, program, says } from './model-faults-conversation.ts';
import { SERVICES } from './model-faults-services.ts';
import type { Refusal } from './model-service.ts';

const LONG_S = 30 * 24 * 3600;
const payment = { id: 'd1', name: 'pay', json: '{}' };

describe.each(SERVICES)('a fault of $name', (service) => {
  const [, busy = 503] = service.overloads;

  it.each([
    ...service.overloads.map((status) => [status, 'MODEL_OVERLOADED'] as const),
    [500, 'MODEL_REQUEST_FAILED'] as const,
  ])(
    'with %i every time is an error, %s, and the session keeps its state [case 108]',
    async (status, code) => {
      const refusal: Refusal = { status, retryAfter: '0.01' };
      const conversation = await converseWith(service, [
        calls(program('x = 7')),
        ...[refusal, refusal, refusal],
        calls(program('print(x)', 'p2')),
        says('Seven.'),
      ]);
      const { orchestrator, provider, requests } = conversation;
      const error = await refusalOf(orchestrator.run('Set x.'));
      expect(error).toMatchObject({ code, message: expect.stringContaining('Not now.') });
      expect(requests).toHaveLength(4);
      expect(orchestrator.messages).toHaveLength(3);
      expect(await orchestrator.sessionInfo()).toMatchObject({ programs: 1 });
      expect((await orchestrator.run('And x?')).text).toBe('Seven.');
      expect(conversation.results(5)).toEqual([{ id: 'p2', text: '7' }]);
      expect(provider.created.size).toBe(1);
    },
  );

  it('that passes is waited for as long as it says, and what ran is not run again [case 108]', async () => {
    const conversation = await converseWith(service, [
      calls(program('await pay()\nx = 7')),
      { status: 429, retryAfter: '1.1' },
      { status: busy, retryAfter: '0.01' },
      calls(program('print(x)', 'p2')),
      says('Seven.'),
    ]);
    const startedAt = performance.now();
    expect((await conversation.orchestrator.run('Pay.')).text).toBe('Seven.');
    // Left to themselves the clients would pause for a second at most.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1090);
    expect(conversation.paid).toHaveLength(1);
    expect(conversation.results(4)).toEqual([{ id: 'p2', text: '7' }]);
    expect(conversation.requests[2]).toMatchObject({ body: conversation.requests[1]?.body });
  });

  it('that outlasts the session is not a silent loss: the model is told that its state is gone [case 108]', async () => {
    const conversation = await converseWith(
      service,
      [
        calls(program('x = 7')),
        { status: 429, retryAfter: '1.1' },
        calls(program('print("x" in globals())', 'p2')),
        says('Gone.'),
      ],
      { executor: { sessionIdleTimeoutMs: 500 } },
    );
    await conversation.orchestrator.run('Set x.');
    expect(conversation.results(3)).toEqual([
      { id: 'p2', text: expect.stringMatching(/^False\n.*session was new/) },
    ]);
    expect(conversation.provider.created.size).toBe(2);
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
    const refusal = refusalOf(orchestrator.run('Go.', { signal: controller.signal }));
    await expect.poll(() => requests.length).toBe(2);
    // No event tells that a client has begun to wait.
    await pause(100);
    controller.abort();
    expect((await refusal).code).toBe('ABORTED');
    // It was not sent again before.
    expect(requests).toHaveLength(2);
    await orchestrator.run('And x?');
    expect(conversation.results(3)).toEqual([{ id: 'p2', text: '7' }]);
  });

  it('that delays the request for a month does not delay the run [case 108]', async () => {
    const conversation = await converseWith(service, [
      { status: 429, retryAfter: String(LONG_S) },
      says('Here.'),
    ]);
    const run = conversation.orchestrator.run('Go.');
    if (service.name === 'Bedrock') {
      // Its client waits five seconds longer than by itself at most, and then tries again.
      expect((await run).text).toBe('Here.');
      return;
    }
    expect(await refusalOf(run)).toMatchObject({
      code: 'MODEL_OVERLOADED',
      message: expect.stringContaining(`${LONG_S} s`),
      details: { status: 429, retryAfterMs: LONG_S * 1000 },
    });
    expect(conversation.requests).toHaveLength(1);
  });

  it('that cuts an answer off at any byte runs nothing of it [case 109]', async () => {
    const conversation = await converseWith(service, [], { maxRetries: 0 });
    const { orchestrator, provider, requests, replies, paid } = conversation;
    const answer = calls({ text: 'I pay. 💶' }, program('await pay()'), payment);
    const bytes = integer({ min: 1, max: service.bytesBeforeEnd(answer) });
    await assert(
      asyncProperty(bytes, constantFrom('cut', 'end'), async (length, ending) => {
        const before = requests.length;
        replies[before] = { ...answer, bytes: length, ending };
        const { code } = await refusalOf(orchestrator.run('Pay.'));
        // Where the break overtakes the answer's first bytes, the client asks again, and nobody answers.
        const askedAgain = requests.length > before + 1;
        expect(code).toBe(askedAgain ? 'MODEL_REQUEST_FAILED' : 'MODEL_STREAM_CUT');
      }),
      { numRuns: 200 },
    );
    expect(paid).toEqual([]);
    expect(provider.created.size).toBe(0);
    const blocks = orchestrator.messages.flatMap(({ content }) => [...content]);
    expect(blocks.filter(({ type }) => type !== 'text')).toEqual([]);
    replies[requests.length] = answer;
    replies.push(says('Paid.'));
    expect((await orchestrator.run('Pay.')).toolCalls).toBe(2);
    expect(paid).toHaveLength(2);
  });

  it.each([
    ['in the middle of the code', '{"code": "await pay()\\nawait pay('],
    ['after a line of it', '{"code": "await pay()\\n"}'],
    ['before any of it', ''],
  ])(
    'that stops for its token limit %s runs nothing, and tells the model [case 110]',
    async (_, json) => {
      const cutOff = { id: 'p1', name: 'execute_code', json };
      const conversation = await converseWith(service, [
        { parts: [payment, cutOff], stop: 'length' },
        says('Shorter.'),
      ]);
      expect((await conversation.orchestrator.run('Pay.')).text).toBe('Shorter.');
      expect(conversation.results(1)).toEqual([
        { id: 'd1', text: expect.stringContaining('nothing was run') },
        { id: 'p1', text: expect.stringContaining('nothing was run') },
      ]);
      expect(conversation.paid).toEqual([]);
      expect(conversation.provider.created.size).toBe(0);
    },
  );
});
