import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  invokeTool,
  type ToolInvocation,
  type ToolOutcome,
} from '../../src/execution/invoke-tool.ts';
import { createDeferred } from '../../src/shared/deferred.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

async function invoke(
  definition: Partial<ToolDefinition>,
  changes: Partial<ToolInvocation> = {},
): Promise<ToolOutcome> {
  const tools = new ToolRegistry([
    { name: 'tool', description: 'A tool.', run: () => null, ...definition },
  ]);
  return invokeTool(tools, {
    toolName: 'tool',
    arguments: {},
    caller: 'code',
    callId: 'call',
    sessionId: 'session',
    signal: new AbortController().signal,
    ...changes,
  });
}

describe('a tool call', () => {
  it('gives the tool its context and the caller the result as JSON', async () => {
    let seen: ToolContext | undefined;
    const outcome = await invoke({
      run: (_input, context) => {
        seen = context;
        return { a: [1, undefined] };
      },
    });
    expect(outcome).toEqual({ ok: true, result: { text: '{"a":[1,null]}' } });
    expect(seen).toMatchObject({ caller: 'code', callId: 'call', sessionId: 'session' });
    expect(seen?.signal.aborted).toBe(false);
  });

  it.each(['missing', 'constructor', '__proto__', ''])(
    'of the unknown tool %j is refused',
    async (toolName) => {
      expect(await invoke({}, { toolName })).toMatchObject({ failure: { type: 'UnknownTool' } });
    },
  );

  it('is refused to a caller that may not make it, with what to do instead', async () => {
    let ran = 0;
    const run = (): void => {
      ran += 1;
    };
    expect(await invoke({ allowedCallers: ['direct'], run })).toMatchObject({
      failure: { type: 'NotAllowed', message: expect.stringContaining('as a tool of its own') },
    });
    expect(await invoke({ run }, { caller: 'direct' })).toMatchObject({
      failure: { type: 'NotAllowed', message: expect.stringContaining('from code') },
    });
    expect(ran).toBe(0);
  });

  it('with arguments that do not fit is refused before the tool runs', async () => {
    let ran = false;
    const outcome = await invoke(
      {
        inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        run: () => {
          ran = true;
        },
      },
      { arguments: { n: 'one' } },
    );
    expect(outcome).toMatchObject({
      failure: { type: 'InvalidArguments', message: expect.stringContaining('n') },
    });
    expect(ran).toBe(false);
  });

  it('fails when its time is up, tells the tool, and drops what comes later', async () => {
    const late = createDeferred<string>();
    let signal: AbortSignal | undefined;
    const outcome = await invoke({
      timeoutMs: 1,
      run: async (_input, context) => {
        ({ signal } = context);
        return late.promise;
      },
    });
    expect(outcome).toEqual({
      ok: false,
      failure: { type: 'Timeout', message: 'no answer within 1 ms' },
    });
    expect(signal?.aborted).toBe(true);
    late.reject(new Error('too late'));
    await nextTick();
  });

  it('is cancelled with the run, also where the run had ended before', async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const run: ToolDefinition['run'] = async (_input, context) => {
      ({ signal } = context);
      return new Promise(() => {});
    };
    const pending = invoke({ run }, { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ failure: { type: 'Cancelled' } });
    expect(signal?.aborted).toBe(true);
    let ran = false;
    const afterwards = await invoke(
      {
        run: () => {
          ran = true;
        },
      },
      { signal: AbortSignal.abort() },
    );
    expect(afterwards).toMatchObject({ failure: { type: 'Cancelled' } });
    expect(ran).toBe(false);
  });

  it('whose tool throws or rejects with anything fails with a message', async () => {
    for (const thrown of [
      new Error(''),
      '',
      undefined,
      null,
      5,
      Object.create(null),
    ] as unknown[]) {
      for (const isAsync of [false, true]) {
        const outcome = await invoke({
          run: () => {
            if (isAsync) return Promise.reject(thrown);
            throw thrown;
          },
        });
        expect(outcome).toMatchObject({
          ok: false,
          failure: { type: 'Failed', message: expect.stringMatching(/./) },
        });
      }
    }
  });

  it('whose result cannot be JSON fails and says where', async () => {
    expect(await invoke({ run: () => ({ rows: [{ id: 1n }] }) })).toMatchObject({
      failure: { type: 'InvalidResult', message: expect.stringContaining('result.rows[0].id') },
    });
  });

  it('leaves no listener on the signal of its run', async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>): void => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
      listeners -= 1;
      remove(...args);
    };
    await invoke({ run: () => 1 }, { signal });
    expect(listeners).toBe(0);
  });
});
