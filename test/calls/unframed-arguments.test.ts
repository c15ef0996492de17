import { describe, expect, it } from 'vitest';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import type { ToolInvocation } from '../../src/calls/tool-invocation.ts';
import type { ToolOutcome } from '../../src/calls/tool-outcome.ts';
import { callingUnit } from '../support/call-origin.ts';
import { invoke } from './invoke.ts';

const ANYTHING = { type: 'object' };

/** Calls a tool that returns what a copy of its arguments has inherited or got. */
async function call(changes: Partial<ToolInvocation>): Promise<ToolOutcome> {
  return invoke(
    {
      allowedCallers: ['code', 'direct'],
      inputSchema: ANYTHING,
      run: (input) => ({
        isAdmin: (Object.assign({}, input) as { admin?: boolean }).admin === true,
        prototype: Object.getPrototypeOf(input) as unknown,
      }),
    },
    changes,
  );
}

async function callEdited(
  edited: unknown,
  limits?: ToolInvocation['limits'],
): Promise<ToolOutcome> {
  const policy = new PolicyGate({
    rules: [{ tool: 'tool', action: 'ask' }],
    approver: async () => ({ approved: true, arguments: edited }),
  });
  return call({ policy: policy.callGate(callingUnit()), ...(limits && { limits }) });
}

function nested(levels: number): unknown {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}

const REFUSED: [string, unknown, string][] = [
  ['a key __proto__', JSON.parse('{ "__proto__": { "admin": true } }'), '__proto__'],
  ['a nested key __proto__', JSON.parse('{ "a": [{ "__proto__": 1 }] }'), 'a[0].__proto__'],
  ['half of a surrogate pair', { a: '\ud800' }, 'surrogate pair'],
  ['a number that JSON lacks', { a: Infinity }, 'arguments.a is Infinity'],
  ['too many values', { a: Array.from({ length: 20_001 }, () => 1) }, 'more than 20000 values'],
  ['a long text', { a: 'x'.repeat(2 ** 20) }, 'longer than 1048576 characters'],
  ['deep nesting', nested(70), 'nested more than 64 deep'],
];

describe('arguments that the model or an approver sends', () => {
  it.each(REFUSED)('with %s are refused like those of a program', async (_what, input, reason) => {
    expect(await call({ caller: 'direct', arguments: input })).toMatchObject({
      failure: { type: 'InvalidArguments', message: expect.stringContaining(reason) },
    });
    expect(await callEdited(input)).toMatchObject({
      failure: { type: 'Rejected', message: expect.stringContaining(reason) },
    });
  });

  it('reach the tool as those of a program, without a prototype, and as a copy', async () => {
    const plain = { ok: true, result: { text: '{"isAdmin":false,"prototype":null}' } };
    expect(await call({ caller: 'direct', arguments: { a: 1 } })).toEqual(plain);
    expect(await callEdited({ a: 1 })).toEqual(plain);
    const sent = { list: [1] };
    await invoke(
      {
        allowedCallers: ['direct'],
        inputSchema: ANYTHING,
        run: (input) => (input as typeof sent).list.pop(),
      },
      { caller: 'direct', arguments: sent },
    );
    expect(sent).toEqual({ list: [1] });
  });

  it('may be as large as the limits of the program let its own be', async () => {
    const large = { a: 'x'.repeat(2 ** 20) };
    expect(await callEdited(large, { bytes: 2 ** 21, values: 10 })).toMatchObject({ ok: true });
    expect(await callEdited({ a: [1, 2, 3] }, { bytes: 2 ** 21, values: 2 })).toMatchObject({
      failure: { type: 'Rejected', message: expect.stringContaining('more than 2 values') },
    });
  });
});
