import { expect, it } from 'vitest';
import { invokeTool } from '../../src/calls/invoke-tool.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { programCounter } from '../support/call-counter.ts';
import { callingUnit, callOrigin } from '../support/call-origin.ts';
import { scriptedServer, scriptedTool, toolsOf } from './support.ts';

const done = { content: [{ type: 'text', text: 'done' }] };

it('has the hints that a server gives, by which rules allow calls', async () => {
  const tools = new ToolRegistry();
  const names = ['read', 'write', 'unknown'];
  tools.addSource(
    await toolsOf(
      scriptedServer({
        tools: [
          scriptedTool('read', { annotations: { title: 'Read', readOnlyHint: true, odd: true } }),
          scriptedTool('write', { annotations: { readOnlyHint: false, destructiveHint: true } }),
          scriptedTool('unknown'),
        ],
        results: Object.fromEntries(names.map((name) => [name, done])),
      }),
    ),
  );
  expect(tools.list().map(({ annotations }) => annotations)).toEqual([
    { readOnlyHint: true },
    { readOnlyHint: false, destructiveHint: true },
    {},
  ]);
  const rules: PolicyRule[] = [
    { tool: 'scripted:*', annotations: { readOnlyHint: true }, action: 'allow' },
    { tool: 'scripted:*', action: 'deny' },
  ];
  const policy = new PolicyGate({ rules }).callGate(callingUnit());
  const call = async (name: string): Promise<unknown> => {
    const outcome = await invokeTool(tools, {
      toolName: `scripted:${name}`,
      arguments: {},
      callId: '1',
      caller: 'code',
      counter: programCounter(),
      origin: callOrigin(),
      signal: new AbortController().signal,
      policy,
    });
    return outcome.ok ? outcome.result.text : outcome.failure.type;
  };
  expect(await Promise.all(names.map(call))).toEqual(['"done"', 'Denied', 'Denied']);
});

it.each([['readOnlyHint'], [null], [[true]], [{ readOnlyHint: 'yes', idempotentHint: 1 }]])(
  'drops hints that are not booleans, if a client of your own passes them on: %j',
  async (annotations) => {
    // The official client refuses them. No other client can be had, so this is a double.
    const client = {
      request: async () => ({
        tools: [{ name: 'a', inputSchema: { type: 'object' as const }, annotations }],
      }),
      callTool: async () => done,
    };
    const source = await toolsOf({ name: 'odd', client: client as never });
    expect(source.tools().map((tool) => tool.annotations)).toEqual([{}]);
  },
);
