import { describe, expect, it } from 'vitest';
import type { CallLog } from '../../src/calls/call-log.ts';
import { OpenCalls } from '../../src/calls/open-calls.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { invoke } from './invoke.ts';

/** A log that has what it was told, in order. */
function listing(changes: Partial<CallLog> = {}): CallLog & { readonly told: unknown[] } {
  const told: unknown[] = [];
  return {
    told,
    started: async ({ callId, toolName }) => void told.push(['started', callId, toolName]),
    ended: async ({ callId }, outcome) => void told.push(['ended', callId, outcome]),
    ...changes,
  };
}

const inputSchema = { type: 'object', properties: { n: { type: 'integer' } } };

const never = async (): Promise<never> => new Promise(() => {});

describe('a log of calls', () => {
  it.each<[string, ToolDefinition['run'], object]>([
    ['done', () => 5, { ok: true, result: { text: '5' } }],
    [
      'failed',
      () => {
        throw new Error('No.');
      },
      { ok: false, failure: { type: 'Failed', message: 'No.' } },
    ],
  ])('is told of a call that is %s', async (_, run, outcome) => {
    const log = listing();
    expect(await invoke({ run }, { log })).toEqual(outcome);
    expect(log.told).toEqual([
      ['started', 'call', 'tool'],
      ['ended', 'call', outcome],
    ]);
  });

  it('gets the arguments with which the tool runs, if the approver edited them', async () => {
    const texts: string[] = [];
    const log: CallLog = {
      started: async ({ argumentsText }) => void texts.push(argumentsText),
      ended: async ({ argumentsText }) => void texts.push(argumentsText),
    };
    const gate = new PolicyGate({
      rules: [{ tool: '*', action: 'ask' }],
      approver: async () => ({ approved: true, arguments: { n: 10 } }),
    });
    const inputs: unknown[] = [];
    await invoke(
      { inputSchema, run: (input) => void inputs.push(input) },
      {
        arguments: { n: 1000 },
        log,
        policy: gate.callGate({ program: {}, runId: 'r', sessionId: 's', endsRun: false }),
      },
    );
    expect(inputs).toEqual([{ n: 10 }]);
    expect(texts).toEqual(['{"n":10}', '{"n":10}']);
  });

  it('gets them as they were approved, although the approver changes its object for another call', async () => {
    const texts: string[] = [];
    const log: CallLog = {
      started: async ({ argumentsText }) => void texts.push(argumentsText),
      ended: async ({ argumentsText }) => void texts.push(argumentsText),
    };
    const own = { n: 10, list: [1] };
    const gate = new PolicyGate({
      rules: [{ tool: '*', action: 'ask' }],
      approver: async () => ({ approved: true, arguments: own }),
    });
    const decided: unknown[] = [];
    await invoke(
      { inputSchema },
      {
        log,
        policy: gate.callGate({ program: {}, runId: 'r', sessionId: 's', endsRun: false }),
        onDecision: ({ decision, arguments: of }) =>
          void (decision !== 'asked' && decided.push(of)),
        ready: () => {
          own.n = 20;
          own.list.push(2);
          return undefined;
        },
      },
    );
    const approved = { n: 10, list: [1] };
    expect(decided).toEqual([approved]);
    expect(texts).toEqual([JSON.stringify(approved), JSON.stringify(approved)]);
  });

  it('gets no entry of a refused call', async () => {
    const log = listing();
    await invoke({ inputSchema, run: () => 5 }, { log, arguments: { n: 'one' } });
    expect(log.told).toEqual([]);
  });

  it('gets no outcome of a call that nobody waits for', async () => {
    const log = listing();
    const stop = new AbortController();
    const hang = async (): Promise<never> => {
      stop.abort();
      return never();
    };
    expect(await invoke({ run: hang }, { log, signal: stop.signal })).toMatchObject({
      failure: { type: 'Cancelled' },
    });
    expect(log.told).toEqual([['started', 'call', 'tool']]);
  });

  it.each([
    ['has ended', (stop: AbortController) => stop.abort()],
    ['gave it up', (_: AbortController, open: OpenCalls) => open.giveUp('call')],
  ])('gets no entry of a call whose program %s before its tool could run', async (_, leave) => {
    const log = listing();
    const [stop, openCalls, taken] = [
      new AbortController(),
      new OpenCalls(),
      createDeferred<void>(),
    ];
    const ready = async (): Promise<void> => taken.promise;
    const call = invoke({ run: () => 5 }, { log, ready, openCalls, signal: stop.signal });
    leave(stop, openCalls);
    taken.resolve();
    expect(await call).toMatchObject({ failure: { type: 'Cancelled' } });
    expect(log.told).toEqual([]);
  });

  it('that never answers does not delay the end of the program, and no tool runs then', async () => {
    const stop = new AbortController();
    const asked = createDeferred<void>();
    const log = listing({
      started: async () => {
        asked.resolve();
        return never();
      },
    });
    let ran = false;
    const run = (): void => {
      ran = true;
    };
    const call = invoke({ run }, { log, signal: stop.signal });
    await asked.promise;
    stop.abort();
    expect(await call).toMatchObject({ failure: { type: 'Cancelled' } });
    expect(ran).toBe(false);
  });

  it('that does not answer after the tool ran does not delay the end of the program', async () => {
    const stop = new AbortController();
    const asked = createDeferred<void>();
    const log = listing({
      ended: async () => {
        asked.resolve();
        return never();
      },
    });
    const call = invoke({ run: () => 5 }, { log, signal: stop.signal });
    await asked.promise;
    stop.abort();
    expect(await call).toEqual({ ok: true, result: { text: '5' } });
  });
});
