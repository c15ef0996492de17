import { describe, expect, it } from 'vitest';
import type { LanguageModel, ModelMessage } from '../../../src/models/language-model.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { NOT_KNOWN } from '../../../src/orchestrator/call-record.ts';
import { stoppedAt } from '../../../src/testing/stopped-at.ts';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { type Conversation, converse, refusalOf, runs, says, uses } from '../support.ts';

/** A shop that counts its orders, and in which the last of them never comes to its end. */
function shop(): { orders: string[]; hangs: Promise<void>; toolList: ToolDefinition[] } {
  const orders: string[] = [];
  const hangs = createDeferred<void>();
  const order: ToolDefinition = {
    name: 'order',
    description: 'Orders something.',
    inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    allowedCallers: ['code', 'direct'],
    run: async (input) => {
      const { item } = input as { item: string };
      orders.push(item);
      if (item !== 'piano') return { number: orders.length };
      hangs.resolve();
      return new Promise(() => {});
    },
  };
  return { orders, hangs: hangs.promise, toolList: [order] };
}

const text = (message: ModelMessage | undefined): string =>
  (message?.content ?? []).map((block) => ('text' in block ? block.text : '')).join('|');

describe('a run that throws', () => {
  it('keeps what was done, so that the next run does not do it again', async () => {
    const { orders, toolList } = shop();
    const { orchestrator, requests } = converse(
      [
        runs('print(await order("desk"))\nprint(await order("lamp"))'),
        () => {
          throw new Error('The service is down.');
        },
        says('Both are ordered.'),
      ],
      { toolList },
    );
    const error = await refusalOf(orchestrator.run('Order a desk and a lamp.'));
    expect(error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('The service is down.'),
      details: { transcript: orchestrator.messages },
    });
    expect(orchestrator.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(text(orchestrator.messages[2])).toBe("{'number': 1}\n{'number': 2}");
    expect(error.details['usage']).toEqual(orchestrator.usage);
    expect(orchestrator.usage.outputTokens).toBeGreaterThan(0);
    await orchestrator.run('Go on.');
    expect(text(requests[2]?.messages.at(-1))).toBe("{'number': 1}\n{'number': 2}|Go on.");
    expect(orders).toEqual(['desk', 'lamp']);
  });

  it('tells which calls of a program that was stopped are done, and which may be', async () => {
    const { hangs, toolList } = shop();
    const code =
      'print("ordering")\nawait order("desk")\nawait order(item=5)\nawait order("piano")';
    const attempt = code.replace(
      'await order(item=5)',
      'try: await order(item=5)\nexcept ToolError: pass',
    );
    const { orchestrator } = converse([runs(attempt)], { toolList });
    const stop = new AbortController();
    const refusal = refusalOf(orchestrator.run('Order.', { signal: stop.signal }));
    await hangs;
    stop.abort();
    expect(await refusal).toMatchObject({ code: 'ABORTED' });
    expect(text(orchestrator.messages[2])).toMatch(/^ordering\n/);
    // A call that its schema refuses was not made.
    expect(text(orchestrator.messages[2]).split('\n').slice(-3)).toEqual([
      '[This program did not finish. The tool calls that it had made:]',
      'order({"item":"desk"}): done, {"number":1}',
      'order({"item":"piano"}): it is not known whether this was done',
    ]);
  });

  it.each([
    {
      why: 'its time is over',
      options: (timeoutMs: number) => ({ programTimeoutMs: timeoutMs }),
      // However much it printed.
      code: 'print("so far " * 20_000)\nawait order("piano")',
      error: /left out here.*Timeout: the program ran longer than its limit/s,
      call: `order({"item":"piano"}): ${NOT_KNOWN}`,
    },
    {
      why: 'it makes too many calls',
      options: () => ({ executor: { budgets: { toolCalls: 1 } } }),
      code: 'await order("desk")\nawait order("lamp")',
      error: /TooManyToolCalls: the program made more tool calls than its limit/,
      call: 'order({"item":"desk"}): done, {"number":1}',
    },
  ])(
    'tells the calls of a program that its host stops since $why, and goes on',
    async ({ options, code, error, call }) => {
      const told = await stoppedAt<readonly string[]>(
        (lines) => lines.includes(call),
        async (timeoutMs) => {
          const { toolList } = shop();
          const turns = [runs(code), says('I see.')];
          const { orchestrator, results } = converse(turns, { toolList, ...options(timeoutMs) });
          expect((await orchestrator.run('Order.')).text).toBe('I see.');
          return results(1)[0]?.text.split('\n') ?? [];
        },
      );
      expect(told).toContain(call);
      const result = told.join('\n');
      expect(result).toMatch(error);
      expect(result.length).toBeLessThan(50_200);
    },
  );

  it('tells the model the line at which a program exceeded its time limit, and that its variables are still there', async () => {
    const endless = runs('kept = 5\nprint("so far")\nwhile True: pass');
    let limit = 0;
    const { results } = await stoppedAt<Conversation>(
      (told) => /line 3/.test(told.results(1)[0]?.text ?? '') && !told.results(2)[0]?.isError,
      async (timeoutMs) => {
        limit = timeoutMs;
        const told = converse([endless, runs('print(kept)'), says('OK.')], {
          programTimeoutMs: timeoutMs,
        });
        await told.orchestrator.run('Loop.');
        return told;
      },
    );
    const [timeout] = results(1);
    expect(timeout).toMatchObject({ isError: true, text: expect.stringMatching(/^so far\n/) });
    expect(timeout?.text).toContain(`${limit} ms`);
    expect(timeout?.text).toContain('line 3');
    expect(timeout?.text).not.toContain('session has ended');
    expect(results(2)).toEqual([{ text: '5', isError: false }]);
  });

  it('tells which calls a program did not wait for that ended by itself', async () => {
    const { hangs, toolList } = shop();
    // A call that has not reached its tool when the program ends is not made.
    const wait: ToolDefinition = {
      name: 'until_the_piano_is_ordered',
      description: 'Waits.',
      run: async () => hangs.then(() => null),
    };
    const code = [
      'import asyncio',
      'await order("desk")',
      'asyncio.create_task(order("piano"))',
      'await until_the_piano_is_ordered()',
      '1 / 0',
    ];
    const { orchestrator, results } = converse([runs(code.join('\n')), says('I see.')], {
      toolList: [...toolList, wait],
    });
    await orchestrator.run('Order.');
    const [result] = results(1);
    expect(result?.text).toMatch(/ZeroDivisionError/);
    expect(result?.text).toMatch(
      /\n\[The program did not wait for the end of these tool calls:\]\norder\(\{"item":"piano"\}\): it is not/,
    );
    // The program had this result, and printed what it wanted.
    expect(result?.text).not.toContain('desk');
  });

  it('does not tell the model what a tool hides', async () => {
    const { hangs, toolList } = shop();
    const secret: ToolDefinition = {
      name: 'secret',
      description: 'Fails.',
      errorDetails: 'none',
      run: () => {
        throw new Error('The password is 1234.');
      },
    };
    const code = 'try: await secret()\nexcept ToolError: pass\nawait order("piano")';
    const { orchestrator } = converse([runs(code)], { toolList: [...toolList, secret] });
    const stop = new AbortController();
    const refusal = refusalOf(orchestrator.run('Go.', { signal: stop.signal }));
    await hangs;
    stop.abort();
    await refusal;
    expect(text(orchestrator.messages[2])).toContain('secret({}): failed, Failed: the tool failed');
    expect(JSON.stringify(orchestrator.messages)).not.toContain('1234');
  });

  it('tells that a direct call which was stopped may be done', async () => {
    const { hangs, toolList } = shop();
    const turn = [uses('order', { item: 'desk' }, 'a'), uses('order', { item: 'piano' }, 'b')];
    const { orchestrator } = converse([turn], { toolList });
    const stop = new AbortController();
    const isDone = createDeferred<void>();
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'tool-call-ended') isDone.resolve();
    };
    const refusal = refusalOf(orchestrator.run('Order.', { signal: stop.signal, onEvent }));
    await Promise.all([hangs, isDone.promise]);
    stop.abort();
    await refusal;
    const [desk, piano] = orchestrator.messages[2]?.content ?? [];
    expect(desk).toMatchObject({ toolUseId: 'a', text: '{"number":1}', isError: false });
    expect(piano).toMatchObject({
      toolUseId: 'b',
      text: expect.stringMatching(/^Cancelled: .*not known whether this was done$/),
      isError: true,
    });
  });

  it('keeps the text of an answer that was cut off, and says that it was', async () => {
    const model: LanguageModel = {
      id: 'cut',
      async *stream() {
        yield { type: 'text-delta', text: 'Once upon ' };
        yield { type: 'text-delta', text: 'a time' };
        yield { type: 'tool-use-started', id: 'a', name: 'execute_code' };
        throw new Error('The connection was lost.');
      },
    };
    const { orchestrator } = converse([], { model });
    expect(await refusalOf(orchestrator.run('Tell me.'))).toMatchObject({
      code: 'RUN_FAILED',
      message: 'The run failed: The connection was lost.',
    });
    expect(orchestrator.messages.slice(1)).toEqual([
      { role: 'assistant', content: says('Once upon a time\n[This answer was cut off here.]') },
    ]);
  });

  it('keeps the turns up to a limit, and the next run goes on after them', async () => {
    const { orchestrator, requests } = converse(
      [runs('print(1)'), runs('print(2)'), says('Two.')],
      {
        maxTurns: 2,
      },
    );
    const { code, details } = await refusalOf(orchestrator.run('Count.'));
    expect(code).toBe('TURN_LIMIT');
    // Of both turns.
    expect(details['usage']).toEqual(orchestrator.usage);
    await orchestrator.run('And?');
    expect(requests[2]?.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'user', 'assistant', 'user'],
    ]);
    expect(text(requests[2]?.messages.at(-1))).toBe('2|And?');
  });

  it('gives each call of an answer that ended the run a result', async () => {
    const { orchestrator } = converse([{ content: runs('x = 1'), stopReason: 'unknown' }]);
    await refusalOf(orchestrator.run('Go.'));
    expect(text(orchestrator.messages[2])).toContain('was not run');
  });

  it('keeps what was done before a refusal, and not the refused answer', async () => {
    const { toolList } = shop();
    const refused = { content: says('I will not.'), stopReason: 'refusal' as const };
    const { orchestrator } = converse([refused, runs('print(await order("desk"))'), refused], {
      toolList,
    });
    const error = await refusalOf(orchestrator.run('Something bad.'));
    expect(text((error.details['transcript'] as ModelMessage[])[1])).toBe('I will not.');
    expect(orchestrator.messages).toEqual([]);
    await refusalOf(orchestrator.run('Order a desk.'));
    expect(orchestrator.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('leaves nothing if failures are to be discarded', async () => {
    const { orchestrator, requests } = converse([says('One.'), runs('x = 1')], {
      onFailure: 'discard',
    });
    await orchestrator.run('First.');
    const before = orchestrator.messages;
    const error = await refusalOf(orchestrator.run('Second.'));
    expect(error.code).toBe('MODEL_REQUEST_FAILED');
    expect(error.details['transcript']).toHaveLength(5);
    expect(orchestrator.messages).toEqual(before);
    expect(requests).toHaveLength(3);
  });

  it('keeps nothing of a run that was aborted before it began', async () => {
    const { orchestrator } = converse([says('Never said.')]);
    await refusalOf(orchestrator.run('Go.', { signal: AbortSignal.abort() }));
    expect(orchestrator.messages).toEqual([]);
  });
});
