import { expect, it } from 'vitest';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { callOrigin } from '../support/call-origin.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

/** Longer than all checks of one turn of the event loop may take together. */
const CHECK_MS = 6;

interface Checked {
  readonly call: unknown;
  /** The turn of the event loop. */
  readonly turn: number;
}

/** A tool whose arguments take long to check, and what was checked so far. */
function slowTool(): {
  readonly tools: ToolRegistry;
  readonly checked: Checked[];
  readonly stop: () => void;
} {
  const checked: Checked[] = [];
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const check = (value: unknown): { readonly value: unknown } => {
    checked.push({ call: value, turn });
    const began = performance.now();
    while (performance.now() - began < CHECK_MS);
    return { value };
  };
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: check,
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    },
  } as const;
  const tools = new ToolRegistry([
    defineTool({ name: 'act', description: 'Acts.', inputSchema: schema, run: () => 'done' }),
  ]);
  checked.length = 0;
  return { tools, checked, stop: () => clearImmediate(next) };
}

it('calls whose arguments take long to check have turns of the event loop, by tenant', async () => {
  const { tools, checked, stop } = slowTool();
  const programs = ['hostile', 'hostile', 'hostile', 'honest'].map((tenant, program) => {
    const { runner, connection } = connect();
    const origin = { ...callOrigin(), tenant };
    const calls = tenant === 'honest' ? 2 : 5;
    const answered = createDeferred<void>();
    let left = calls;
    runner.onMessage = ({ kind }) => {
      if (kind === 'tool-result' && (left -= 1) === 0) answered.resolve();
    };
    const running = connection.execute(request({ tools: tools.snapshot(), origin }));
    return { tenant, program, calls, runner, answered, running };
  });
  for (const { tenant, program, calls, runner } of programs) {
    for (let call = 0; call < calls; call += 1) {
      runner.say(toolCall(String(call), 'act', { tenant, program, call }));
    }
  }
  for (const { answered, runner, running } of programs) {
    await answered.promise;
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
  }
  stop();
  const once = [...new Map(checked.map((one) => [JSON.stringify(one.call), one])).values()];
  expect(once).toHaveLength(17);
  expect(new Set(once.map(({ turn }) => turn)).size).toBeGreaterThanOrEqual(16);
  const order = once.map(({ call }) => (call as { readonly tenant: string }).tenant);
  expect(order.slice(0, 5)).toEqual(['hostile', 'hostile', 'honest', 'hostile', 'honest']);
});

it('tools run in the order of the calls, also if the first are large', async () => {
  const sizes = [200_000, 1, 100_000, 1, 1];
  const ran: unknown[] = [];
  const { runner, connection } = connect();
  const run = (input: unknown): number => ran.push((input as { call: number }).call);
  const inputSchema = { type: 'object' } as const;
  const tools = new ToolRegistry([{ name: 'act', description: 'Acts.', inputSchema, run }]);
  const answered = createDeferred<void>();
  let left = sizes.length;
  runner.onMessage = ({ kind }) => {
    if (kind === 'tool-result' && (left -= 1) === 0) answered.resolve();
  };
  const running = connection.execute(request({ tools: tools.snapshot() }));
  for (const [call, size] of sizes.entries()) {
    runner.say(toolCall(String(call), 'act', { call, text: 'x'.repeat(size) }));
  }
  await answered.promise;
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok' });
  expect(ran).toEqual([...sizes.keys()]);
});
