import { describe, expect, it } from 'vitest';
import { toTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { PolicyGate, type PolicyOptions } from '../../src/tools/policy/policy-gate.ts';

const define = (more: object): Tool =>
  toTool({ name: 'order', description: 'Orders.', run: () => null, ...more });

const gate = (rule: object, more: Partial<PolicyOptions> = {}): PolicyGate =>
  new PolicyGate({ rules: [{ tool: 'order', action: 'allow', ...rule }], ...more });

const WRONG: readonly (readonly [string, object, RegExp])[] = [
  ['no unit', { maxCalls: {} }, /maxCalls must be an object with program, run or session/],
  ['a number', { maxCalls: 5 }, /maxCalls must be an object, not 5/],
  [
    'an unknown unit',
    { maxCalls: { programs: 1 } },
    /maxCalls has no option programs. Did you mean program\?/,
  ],
  [
    'no call at all',
    { maxCalls: { run: 0 } },
    /maxCalls.run must be a whole number, at least 1, not 0/,
  ],
  ['half a call', { maxCalls: { session: 1.5 } }, /maxCalls.session must be a whole number/],
  ['null', { maxCalls: null }, /maxCalls must be an object/],
  [
    'a limit without an action',
    { repeatedCalls: { limit: 3 } },
    /repeatedCalls needs the option action/,
  ],
  [
    'an action without a limit',
    { repeatedCalls: { action: 'deny' } },
    /repeatedCalls needs the option limit/,
  ],
  [
    'an unknown action',
    { repeatedCalls: { limit: 3, action: 'allow' } },
    /repeatedCalls.action must be one of "deny", "ask"/,
  ],
  [
    'an unknown name',
    { repeatedCalls: { limit: 3, action: 'deny', per: 'run' } },
    /repeatedCalls has no option per/,
  ],
  [
    'a limit of zero',
    { repeatedCalls: { limit: 0, action: 'deny' } },
    /repeatedCalls.limit must be a whole number, at least 1/,
  ],
  ['true', { repeatedCalls: true }, /repeatedCalls must be an object/],
];

describe.each(WRONG)('limits with %s', (_what, limits, message) => {
  it('are refused in a definition', () => {
    expect(() => define(limits)).toThrow(message);
  });

  it('are refused in a rule, which the error names', () => {
    expect(() => gate(limits)).toThrow(message);
    expect(() => gate(limits)).toThrow(/policy\.rules\[0\]/);
  });
});

it('a tool has its limits, which cannot change later', () => {
  const maxCalls = { program: 5, session: 20 };
  const tool = define({ maxCalls, repeatedCalls: { limit: 3, action: 'deny' } });
  maxCalls.program = 1000;
  expect(tool.maxCalls).toEqual({ program: 5, session: 20 });
  expect(tool.repeatedCalls).toEqual({ limit: 3, action: 'deny' });
  expect(Object.isFrozen(tool.maxCalls) && Object.isFrozen(tool.repeatedCalls)).toBe(true);
});

it('a tool has a default limit of repeated calls only if it says that it writes each time', () => {
  const writes = { readOnlyHint: false, idempotentHint: false };
  expect(define({ annotations: writes }).repeatedCalls).toEqual({ limit: 20, action: 'ask' });
  expect(define({ annotations: writes, repeatedCalls: false }).repeatedCalls).toBeUndefined();
  expect(define({}).repeatedCalls).toBeUndefined();
  expect(define({}).maxCalls).toBeUndefined();
});

it('a rule that denies has no limits', () => {
  const denies = { action: 'deny', maxCalls: { run: 1 } };
  expect(() => gate(denies)).toThrow(
    /policy\.rules\[0\]\.maxCalls must be left out.*Remove maxCalls, or change the action\./,
  );
});

it('a rule whose limit asks needs an approver', () => {
  const asks = { repeatedCalls: { limit: 1, action: 'ask' } };
  expect(() => gate(asks)).toThrow(/there is no approver/);
  expect(() => gate(asks, { approver: async () => ({ approved: true }) })).not.toThrow();
});
