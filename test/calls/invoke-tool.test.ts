import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod3';
import { invokeTool } from '../../src/calls/invoke-tool.ts';
import { failureForHost } from '../../src/calls/tool-outcome.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';
import { invoke } from './invoke.ts';

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
    'of the unknown tool %j is refused [case 69, host/one-way-to-tools]',
    async (toolName) => {
      expect(await invoke({}, { toolName })).toMatchObject({ failure: { type: 'UnknownTool' } });
    },
  );

  it('is refused to a caller that may not make it, with what to do instead [case 103, host/one-way-to-tools]', async () => {
    let ran = 0;
    const run = (): void => {
      ran += 1;
    };
    expect(await invoke({ allowedCallers: ['direct'], run })).toMatchObject({
      failure: {
        type: 'NotAllowed',
        message: expect.stringContaining('call it directly, as a tool'),
      },
    });
    expect(await invoke({ run }, { caller: 'direct' })).toMatchObject({
      failure: { type: 'NotAllowed', message: expect.stringContaining('from code') },
    });
    expect(ran).toBe(0);
  });

  it('with arguments that do not match the schema is refused before the tool runs [case 104, host/one-way-to-tools]', async () => {
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

  it('fails when its time is up, aborts the tool, and drops a later result [case 100, host/one-way-to-tools]', async () => {
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

  it('is cancelled with the program, even if the program ended before', async () => {
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

  it('whose tool throws or rejects with anything fails with a message [case 99]', async () => {
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

  it('whose result cannot be JSON fails and says where [case 101]', async () => {
    expect(await invoke({ run: () => ({ rows: [{ id: 1n }] }) })).toMatchObject({
      failure: { type: 'InvalidResult', message: expect.stringContaining('result.rows[0].id') },
    });
  });

  it('passes on only the message of what a tool throws [case 105, host/tool-errors]', async () => {
    const error = Object.assign(new Error('no file', { cause: new Error('S3CRET') }), {
      code: 'ENOENT',
      path: '/srv/S3CRET',
    });
    const outcome = await invoke({
      run: () => {
        throw error;
      },
    });
    expect(outcome).toEqual({ ok: false, failure: { type: 'Failed', message: 'no file' } });
  });

  it('shows the message only to the host if the tool says so, even that of a wrong result [case 105]', async () => {
    const failing = await invoke({
      errorDetails: 'none',
      run: () => {
        throw new Error('S3CRET');
      },
    });
    expect(failing).toMatchObject({ failure: { type: 'Failed', message: 'the tool failed' } });
    expect(failureForHost(failing)).toEqual({ type: 'Failed', message: 'S3CRET' });
    const toJSON = (): never => {
      throw new Error('S3CRET');
    };
    const odd = await invoke({ errorDetails: 'none', run: () => ({ toJSON }) });
    expect(odd).toMatchObject({ failure: { type: 'InvalidResult', message: 'the tool failed' } });
    expect(failureForHost(odd)?.message).toContain('S3CRET');
  });

  it('still says what is wrong with its arguments and its time if the tool hides messages', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } } } as const;
    expect(
      await invoke({ errorDetails: 'none', inputSchema }, { arguments: { n: 'one' } }),
    ).toMatchObject({ failure: { message: expect.stringContaining('expected integer') } });
    const run = async (): Promise<unknown> => new Promise(() => {});
    expect(await invoke({ errorDetails: 'none', timeoutMs: 1, run })).toMatchObject({
      failure: { type: 'Timeout', message: 'no answer within 1 ms' },
    });
  });

  it('cuts a message that is a whole page [host/one-way-to-tools]', async () => {
    const outcome = await invoke({
      run: () => {
        throw new Error('x'.repeat(50_000_000));
      },
    });
    const message = outcome.ok ? '' : outcome.failure.message;
    expect(message.length).toBeLessThan(11_000);
    expect(message).toMatch(/49990000 characters left out/);
  });

  it.each([
    [
      'zod 4',
      z.object({ list: z.array(z.coerce.number()).transform((all) => all.sort((a, b) => b - a)) }),
    ],
    [
      'zod 3',
      z3.object({
        list: z3.array(z3.coerce.number()).transform((all) => all.sort((a, b) => b - a)),
      }),
    ],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { list: { type: 'array' }, more: { default: 1 } },
      },
    ],
  ] as const)('leaves the arguments as they came under %s', async (_, inputSchema) => {
    const sent = { list: ['1', '2'] };
    const outcome = await invoke(
      { inputSchema, run: (input) => structuredClone(input) },
      { arguments: sent },
    );
    expect(outcome.ok).toBe(true);
    expect(sent).toEqual({ list: ['1', '2'] });
  });

  it('uses the tool as it was when it was registered', async () => {
    const allowedCallers: ('code' | 'direct')[] = ['direct'];
    const definition = { name: 'tool', description: 'A tool.', allowedCallers, run: () => 'ran' };
    const tools = new ToolRegistry([definition]);
    allowedCallers.push('code');
    definition.name = 'other';
    const call = {
      arguments: {},
      caller: 'code',
      callId: 'call',
      counter: programCounter(),
      origin: callOrigin(),
      signal: new AbortController().signal,
    } as const;
    expect(await invokeTool(tools, { ...call, toolName: 'tool' })).toMatchObject({
      failure: { type: 'NotAllowed' },
    });
    expect(await invokeTool(tools, { ...call, toolName: 'other' })).toMatchObject({
      failure: { type: 'UnknownTool' },
    });
  });

  it('leaves no listener on the signal of its program', async () => {
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
