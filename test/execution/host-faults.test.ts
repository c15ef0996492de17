import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProgramRequest } from '../../src/execution/program-request.ts';
import type { ToolLookup } from '../../src/calls/invoke-tool.ts';
import type { ExecutionEvent } from '../../src/execution/execution.ts';
import type { RunnerMessage } from '../../src/protocol/messages.ts';
import type { AuditSink } from '../../src/audit/entry.ts';
import { defineTool, type ToolDefinition } from '../../src/tools/define-tool.ts';
import { Semaphore } from '../../src/shared/async/semaphore.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

const FAULT = new RangeError('Invalid string length');

function fail(): never {
  throw FAULT;
}

async function rejects(): Promise<never> {
  throw FAULT;
}

const add = defineTool({ name: 'add', description: 'Adds one.', run: () => 1 });
const registry = new ToolRegistry([add]);

/** A registry of the one tool, with a part replaced. */
function withTool(changes: Partial<Tool>): ToolLookup {
  const tool = registry.get('add');
  if (tool === undefined) throw new Error('The tool is not registered.');
  // Not by spreading, which would call getters.
  const changed = Object.defineProperties({ ...tool }, Object.getOwnPropertyDescriptors(changes));
  return { get: () => changed };
}

function withDefinition(changes: Partial<ToolDefinition>): ToolLookup {
  const definition = { name: 'add', description: 'Adds one.', run: () => 1, ...changes };
  return new ToolRegistry([definition]);
}

/** Each step of a call, made to fail in a way that nobody expects. */
const INNER_STEPS: readonly [string, Partial<ProgramRequest>][] = [
  ['the look-up of the tool', { tools: { get: fail } }],
  ['the check of its arguments', { tools: withTool({ validateInput: fail }) }],
  [
    'the policy',
    {
      policy: Object.assign(new PolicyGate({ rules: [] }), {
        callGate: () => ({ approvals: new Semaphore(1), judge: fail, ask: fail, end: () => {} }),
      }),
    },
  ],
  [
    'the tool’s own settings',
    {
      tools: withTool({
        get timeoutMs(): number {
          return fail();
        },
      }),
    },
  ],
  ['the log of calls, before the tool', { callLog: { started: rejects, ended: async () => {} } }],
  ['the log of calls, after the tool', { callLog: { started: async () => {}, ended: rejects } }],
];

describe('a host that fails in the middle of a call', () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): number => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', onUnhandled);
  });
  afterEach(async () => {
    // Node tells of unhandled rejections after the turn in which they came.
    await nextTurn();
    process.off('unhandledRejection', onUnhandled);
    if (unhandled.length > 0)
      throw new Error('A rejection was not handled.', { cause: unhandled[0] });
  });

  it.each(INNER_STEPS)(
    'at %s refuses the call and continues [host/survives]',
    async (_, changes) => {
      const { runner, connection } = connect();
      const events: ExecutionEvent[] = [];
      const answered = new Promise<void>((resolve) => {
        runner.onMessage = ({ kind }) => kind === 'tool-result' && resolve();
      });
      const onEvent = (event: ExecutionEvent): number => events.push(event);
      const running = connection.execute(request({ tools: registry, onEvent, ...changes }));
      runner.say(toolCall('a', 'add'));
      await answered;
      runner.say(outcome());
      expect(await running).toMatchObject({ status: 'ok', sessionOpen: true });
      const reply = runner.received.find(({ kind }) => kind === 'tool-result');
      // What went wrong on the host is for the host alone.
      expect(reply).toMatchObject({
        error: { type: 'HostError', message: 'the host could not carry out the call' },
      });
      expect(events.at(-1)).toMatchObject({ error: { message: FAULT.message } });
    },
  );

  it('at the tool itself, or at its result, tells the program that the tool failed', async () => {
    for (const run of [fail, () => ({ toJSON: fail })]) {
      const { runner, connection } = connect();
      const answered = new Promise<void>((resolve) => {
        runner.onMessage = ({ kind }) => kind === 'tool-result' && resolve();
      });
      const running = connection.execute(request({ tools: withDefinition({ run }) }));
      runner.say(toolCall('a', 'add'));
      await answered;
      runner.say(outcome());
      expect(await running).toMatchObject({ status: 'ok', sessionOpen: true });
    }
  });

  it('at a listener emits a warning and continues', async () => {
    const warned = new Promise<Error>((resolve) => {
      process.once('warning', resolve);
    });
    const { runner, connection } = connect();
    const running = connection.execute(request({ tools: registry, onEvent: fail }));
    runner.say(toolCall('a', 'add'), outcome());
    expect(await running).toMatchObject({ status: 'ok', sessionOpen: true });
    expect((await warned).message).toContain(FAULT.message);
  });

  it('at the audit of a call’s end ends that session, and says why', async () => {
    const { runner, connection } = connect();
    const audit: AuditSink = {
      ready: () => undefined,
      record: ({ type }) => {
        if (type === 'tool-call-ended') fail();
      },
    };
    const running = connection.execute(request({ tools: registry, audit }));
    runner.say(toolCall('a', 'add'));
    expect(await running).toMatchObject({
      status: 'sandbox-lost',
      error: { message: expect.stringContaining(FAULT.message) },
      sessionOpen: false,
    });
    expect(runner.destroyed).toBe(true);
  });

  it('at the answer itself ends that session, and says why', async () => {
    const { runner, connection } = connect();
    runner.onMessage = ({ kind }) => kind === 'tool-result' && fail();
    const running = connection.execute(request({ tools: registry }));
    runner.say(toolCall('a', 'add'));
    expect(await running).toMatchObject({
      status: 'sandbox-lost',
      error: { message: expect.stringContaining('failed while it answered a tool call') },
      sessionOpen: false,
    });
    expect(runner.destroyed).toBe(true);
  });

  it('gives the permit of a failed call to the next one', async () => {
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const replies: RunnerMessage['kind'][] = [];
    const both = new Promise<void>((resolve) => {
      runner.onMessage = ({ kind }) => {
        if (kind === 'tool-result' && replies.push('tool-call') === 2) resolve();
      };
    });
    const tools = withTool({
      get timeoutMs(): number {
        return fail();
      },
    });
    const running = connection.execute(request({ tools }));
    runner.say(toolCall('a', 'add'), toolCall('b', 'add'));
    await both;
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok', toolCalls: 2 });
  });
});
