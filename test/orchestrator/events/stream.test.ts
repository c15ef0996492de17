import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { converse, refusalOf, runs, says, uses } from '../support.ts';

describe('a stream', () => {
  const script = () => [
    [...says('Let me see.'), ...runs('print(await add(x=1))\nawait add(x="no")')],
    says('Two.'),
  ];
  const toolList = [
    {
      name: 'add',
      description: 'Adds one.',
      inputSchema: { type: 'object', properties: { x: { type: 'number' } } } as const,
      run: (input: unknown) => (input as { x: number }).x + 1,
    },
  ];

  it('yields what happens in order, and ends with the same result as a run', async () => {
    const streaming = converse(script(), { toolList });
    const events: RunEvent[] = [];
    for await (const event of streaming.orchestrator.stream('Add.')) events.push(event);
    const types = events.map(({ type }) => type).filter((type) => type !== 'tool-input-delta');
    const changes = types.filter((type, i) => type !== types[i - 1]);
    // Output and calls come on streams of their own, so their order among each other is not given.
    expect(changes.filter((type) => type !== 'output-delta')).toEqual([
      ...[
        'run-started',
        'turn-started',
        'text-delta',
        'turn-ended',
        'program-started',
        'session-opened',
      ],
      ...[
        'tool-call-started',
        'tool-call-ended',
        'tool-call-started',
        'tool-call-ended',
        'program-ended',
      ],
      ...['turn-started', 'text-delta', 'turn-ended', 'run-ended'],
    ]);
    expect(
      changes.slice(changes.indexOf('program-started'), changes.indexOf('program-ended')),
    ).toContain('output-delta');
    const last = events.at(-1);
    const run = await converse(script(), { toolList }).orchestrator.run('Add.');
    const comparable = {
      text: run.text,
      turns: run.turns,
      toolCalls: run.toolCalls,
      usage: run.usage,
      savings: run.savings,
      messages: run.messages,
    };
    expect(last).toMatchObject({ type: 'run-ended', result: comparable });
    expect(events.filter(({ type }) => type === 'run-ended')).toHaveLength(1);
    expect(streaming.orchestrator.messages).toEqual(run.messages);
  });

  it('gives the error of the run after the events before it', async () => {
    const { orchestrator } = converse([runs('print("seen")')]);
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of orchestrator.stream('Go.')) types.push(type);
    })();
    expect((await refusalOf(reading)).code).toBe('MODEL_REQUEST_FAILED');
    expect(types).toContain('program-ended');
    expect(types.at(-1)).toBe('run-failed');
  });

  it('has events that say when, of which run, and which of its events', async () => {
    const { orchestrator } = converse([says('One.'), says('Two.')]);
    const events: RunEvent[] = [];
    const before = Date.now();
    for await (const event of orchestrator.stream('First.')) events.push(event);
    for await (const event of orchestrator.stream('Second.')) events.push(event);
    const runIds = [...new Set(events.map(({ runId }) => runId))];
    const numbers = Array.from({ length: events.length / 2 }, (_, index) => index + 1);
    expect(runIds).toHaveLength(2);
    expect(events.map(({ id }) => id)).toEqual(
      runIds.flatMap((runId) => numbers.map((number) => `${runId}-${number}`)),
    );
    for (const { occurredAtMs } of events) {
      expect(occurredAtMs).toBeGreaterThanOrEqual(before);
      expect(occurredAtMs).toBeLessThanOrEqual(Date.now());
    }
  });

  it('says of output and calls which of the model’s calls they belong to', async () => {
    const turns = [
      [...runs('print(await add(x=1))', 'one'), ...runs('print(await add(x=2))', 'two')],
      [uses('add', { x: 3 }, 'three')],
      says('Done.'),
    ];
    const tools = toolList.map((tool) => ({
      ...tool,
      allowedCallers: ['code', 'direct'] as const,
    }));
    const { orchestrator } = converse(turns, { toolList: tools });
    const seen: string[] = [];
    for await (const event of orchestrator.stream('Add.')) {
      if (event.type === 'output-delta')
        seen.push(`${event.toolUseId} printed ${event.text.trim()}`);
      if (event.type === 'tool-call-started')
        seen.push(`${event.toolUseId} gave ${JSON.stringify(event.arguments)}`);
      if (event.type === 'tool-call-ended') seen.push(`${event.toolUseId} got ${event.result}`);
    }
    expect(seen).toEqual([
      ...['one gave {"x":1}', 'one got 2', 'one printed 2'],
      ...['two gave {"x":2}', 'two got 3', 'two printed 3'],
      ...['three gave {"x":3}', 'three got 4'],
    ]);
  });

  it('has the first 10,000 characters of a result, and its length', async () => {
    const long = { name: 'long', description: 'Long.', run: () => 'x'.repeat(20_000) };
    const { orchestrator } = converse([runs('await long()'), says('Done.')], { toolList: [long] });
    const results: unknown[] = [];
    for await (const event of orchestrator.stream('Go.')) {
      if (event.type === 'tool-call-ended') results.push([event.result, event.resultCharacters]);
    }
    expect(results).toEqual([[`"${'x'.repeat(9999)}`, 20_002]]);
  });

  it('names the tool in each part of its input', async () => {
    const { orchestrator } = converse([runs('print(1)'), says('One.')]);
    const names = new Set<string>();
    for await (const event of orchestrator.stream('Go.')) {
      if (event.type === 'tool-input-delta') names.add(event.toolName);
    }
    expect([...names]).toEqual(['execute_code']);
  });

  it('ends with the error of a run that throws, and then throws it', async () => {
    const { orchestrator } = converse([]);
    const events: RunEvent[] = [];
    const error = await refusalOf(
      (async () => {
        for await (const event of orchestrator.stream('Go.')) events.push(event);
      })(),
    );
    const { code, message } = error;
    expect(events.at(-1)).toMatchObject({ type: 'run-failed', error: { code, message } });
  });

  it('that is not read to its end ends its run and its tools', async () => {
    const called = createDeferred<void>();
    const aborted = createDeferred<void>();
    const { orchestrator } = converse([runs('await hang()'), says('Never said.')], {
      toolList: [
        {
          name: 'hang',
          description: 'Never answers.',
          run: async (_input, { signal }) => {
            signal.addEventListener('abort', () => aborted.resolve());
            called.resolve();
            return new Promise(() => {});
          },
        },
      ],
    });
    for await (const { type } of orchestrator.stream('Go.')) {
      if (type !== 'tool-call-started') continue;
      // A run that ends before that does not call it.
      await called.promise;
      break;
    }
    await aborted.promise;
    expect(orchestrator.messages).toHaveLength(3);
  });

  it('that is closed while its reader waits for the next event ends its run and its tools', async () => {
    const called = createDeferred<AbortSignal>();
    const { orchestrator } = converse([runs('await hang()'), says('Never said.')], {
      toolList: [
        {
          name: 'hang',
          description: 'Never answers.',
          run: async (_input, { signal }) => {
            called.resolve(signal);
            return new Promise(() => {});
          },
        },
      ],
    });
    const reading = Readable.from(orchestrator.stream('Go.'));
    const read = createDeferred<void>();
    reading.on('data', ({ type }) => type === 'tool-call-started' && read.resolve());
    await read.promise;
    const signal = await called.promise;
    // By now it waits for what comes after the call, which is nothing.
    await setImmediate();
    reading.destroy();
    await once(reading, 'close');
    expect(signal.aborted).toBe(true);
    expect(orchestrator.messages).toHaveLength(3);
  });

  it('a listener that throws does not end the run [host/escaped-characters]', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { orchestrator } = converse(script(), { toolList });
    const result = await orchestrator.run('Add.', {
      onEvent: () => {
        throw new Error(`listener bug \u001b]0;title\u0007\n${'x'.repeat(5000)}`);
      },
    });
    expect(result.text).toBe('Two.');
    const [message] = warned.mock.calls[0] ?? [];
    // What it quotes may be a program's.
    expect(message).toContain(String.raw`listener bug \x1b]0;title\x07\nxxx`);
    expect(String(message).length).toBeLessThan(1100);
    warned.mockRestore();
  });
});
