import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  checkRules,
  decide,
  matchesTool,
  type PolicyAction,
  type PolicyCall,
  type PolicyRule,
} from '../../../src/tools/policy/policy.ts';
import { PolicyGate } from '../../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { codePoint } from '../../support/code-point.ts';

function callOf(changes: Partial<PolicyCall> = {}): PolicyCall {
  return {
    toolName: 'db:drop',
    input: { table: 'users' },
    caller: 'code',
    callId: 'c1',
    sessionId: 's1',
    labels: { tenant: 'acme' },
    annotations: {},
    ...changes,
  };
}

const toolName = fc.string({ minLength: 1, unit: codePoint });
const action = fc.constantFrom<PolicyAction>('allow', 'deny', 'ask');

describe('rules', () => {
  it('allow a call that none is for', () => {
    expect(decide([], callOf())).toEqual({ action: 'allow', reason: undefined });
    expect(decide([{ tool: 'other', action: 'deny' }], callOf()).action).toBe('allow');
  });

  it('decide by the first that is for the call', () => {
    const rules: PolicyRule[] = [
      { tool: ['db:list', 'db:drop'], when: ({ caller }) => caller === 'direct', action: 'deny' },
      { tool: 'db:*', action: 'ask', reason: 'writes' },
      { tool: '*', action: 'deny' },
    ];
    expect(decide(rules, callOf())).toEqual({ action: 'ask', reason: 'writes' });
    expect(decide(rules, callOf({ caller: 'direct' })).action).toBe('deny');
    expect(decide(rules, callOf({ toolName: 'mail' })).action).toBe('deny');
  });

  it('see the arguments, the caller, the session and its labels', () => {
    let seen: PolicyCall | undefined;
    const when = (call: PolicyCall): boolean => {
      seen = call;
      return true;
    };
    decide([{ tool: '*', when, action: 'allow' }], callOf());
    expect(seen).toEqual(callOf());
  });

  it('with annotations are for tools that have all of them, and for no others', () => {
    const annotations = { readOnlyHint: true, destructiveHint: false };
    const rules: PolicyRule[] = [{ tool: 'db:*', annotations, action: 'deny' }];
    const decided = (has: PolicyCall['annotations'], name = 'db:drop'): string =>
      decide(rules, callOf({ toolName: name, annotations: has })).action;
    expect(decided(annotations)).toBe('deny');
    expect(decided({ ...annotations, openWorldHint: true })).toBe('deny');
    expect(decided(annotations, 'other')).toBe('allow');
    expect(decided({ ...annotations, destructiveHint: true })).toBe('allow');
    expect(decided({ readOnlyHint: true })).toBe('allow');
    expect(decided({})).toBe('allow');
  });

  it('that allow tools by what they say leave the others to the next rule', () => {
    const rules: PolicyRule[] = [
      { tool: 'db:*', annotations: { readOnlyHint: true }, action: 'allow' },
      { tool: 'db:*', action: 'ask' },
    ];
    const decided = (annotations: PolicyCall['annotations']): string =>
      decide(rules, callOf({ annotations })).action;
    expect(decided({ readOnlyHint: true })).toBe('allow');
    expect(decided({ readOnlyHint: false })).toBe('ask');
    expect(decided({ destructiveHint: false, idempotentHint: true })).toBe('ask');
    expect(decided({})).toBe('ask');
  });

  it.each([
    ['throws', () => JSON.parse('{'), /threw/],
    ['returns a number', () => 1, /not a boolean/],
    ['returns nothing', () => undefined, /not a boolean/],
    ['is async', async () => true, /async/],
    ['is async and fails', async () => Promise.reject(new Error('x')), /async/],
  ])('deny where one %s, whatever its action, and keep why from the caller', (_, when, fault) => {
    for (const one of ['allow', 'deny', 'ask'] as const) {
      const rules = [{ tool: '*', when: when as () => boolean, action: one }];
      const verdict = decide(rules, callOf());
      expect(verdict).toMatchObject({
        action: 'deny',
        reason: 'a rule that applies to it failed',
        fault: expect.stringMatching(fault),
      });
    }
  });

  it('that are for other tools are not asked', () => {
    const when = (): boolean => {
      throw new Error('asked');
    };
    expect(decide([{ tool: 'other', when, action: 'deny' }], callOf()).action).toBe('allow');
  });

  it('name one tool, all, or those that begin alike', () => {
    fc.assert(
      fc.property(toolName, toolName, (one, other) => {
        expect(matchesTool('*', one)).toBe(true);
        expect(matchesTool(`${one}*`, one + other)).toBe(true);
        expect(matchesTool(`${one}*`, other)).toBe(other.startsWith(one));
        if (one.endsWith('*')) return;
        expect(matchesTool(one, one)).toBe(true);
        expect(matchesTool(one, one + other)).toBe(false);
      }),
    );
  });

  it('after the one that decides change nothing', () => {
    const rule = fc.record({
      tool: fc.oneof(fc.constantFrom('*', 'a', 'a*', 'b'), fc.subarray(['a', 'b', 'ab'])),
      isFor: fc.boolean(),
      action,
    });
    fc.assert(
      fc.property(fc.array(rule), fc.constantFrom('a', 'b', 'ab', 'c'), (made, name) => {
        const rules = made.map(({ isFor, ...rest }) => ({ ...rest, when: () => isFor }));
        const expected = made.find(({ tool, isFor }) => {
          const names = typeof tool === 'string' ? [tool] : tool;
          const isNamed = names.some(
            (one) => one === name || one === '*' || (one === 'a*' && name.startsWith('a')),
          );
          return isFor && isNamed;
        });
        const verdict = decide(rules, callOf({ toolName: name }));
        expect(verdict.action).toBe(expected?.action ?? 'allow');
        const more = [...rules, { tool: '*', action: 'deny' as const }];
        const withDefault = decide(more, callOf({ toolName: name }));
        expect(withDefault.action).toBe(expected?.action ?? 'deny');
      }),
    );
  });
});

describe('rules that are given', () => {
  it.each([
    [
      { tool: 'a', action: 'block' },
      /rules\[0\]\.action must be one of "allow", "deny", "ask", not "block"/,
    ],
    [{ tool: 'a' }, /action/],
    [{ tool: '', action: 'deny' }, /must be the name of a tool, or an array of names, not ""/],
    [{ tool: [], action: 'deny' }, /array of names, not an empty array/],
    [{ tool: [1], action: 'deny' }, /name of a tool, .* not 1/],
    [{ action: 'deny' }, /array of names/],
    [{ tool: 'db:*:drop', action: 'deny' }, /where it stands for any characters/],
    [{ tool: 'a', action: 'deny', when: true }, /when must be a function/],
    [{ tool: 'a', action: 'deny', wehn: () => true }, /has no option wehn\. Did you mean when\?/],
    [{ tool: 'a', action: 'deny', reason: 1 }, /reason must be text/],
    [{ tool: 'a', action: 'allow', annotations: null }, /annotations must be an object, not null/],
    [{ tool: 'a', action: 'allow', annotations: {} }, /annotations must be .* at least one hint/],
    [{ tool: 'a', action: 'allow', annotations: { readOnlyHint: undefined } }, /at least one hint/],
    [
      { tool: 'a', action: 'allow', annotations: { readonlyHint: true } },
      /rules\[0\]\.annotations has no option readonlyHint\. Did you mean readOnlyHint\?/,
    ],
    [
      { tool: 'a', action: 'allow', annotations: { readOnlyHint: 1 } },
      /rules\[0\]\.annotations: readOnlyHint must be true or false, not 1/,
    ],
    [null, /must be an object, not null/],
  ])('and are wrong are refused: %j', (rule, message) => {
    expect(() => checkRules([rule as unknown as PolicyRule])).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringMatching(message),
      }),
    );
  });

  it('cannot be changed afterwards', () => {
    const names = ['a'];
    const annotations = { readOnlyHint: true };
    const rule = { tool: names, annotations, action: 'deny' as PolicyAction };
    const rules = [rule];
    const checked = checkRules(rules);
    rule.action = 'allow';
    annotations.readOnlyHint = false;
    names.length = 0;
    rules.length = 0;
    const call = callOf({ toolName: 'a', annotations: { readOnlyHint: true } });
    expect(decide(checked, call).action).toBe('deny');
  });

  it('that name a function of generated code in place of its tool are refused', () => {
    const registry = new ToolRegistry([
      { name: 'db:drop', description: 'Drops.', run: () => null },
      { name: 'list', description: 'Lists.', run: () => null },
    ]);
    const check = (tool: string): unknown =>
      PolicyGate.from({ rules: [{ tool, action: 'deny' }] }, [registry]);
    expect(() => check('db_drop')).toThrow(/"db:drop"/);
    expect(() => check('db_*')).toThrow(/"db:drop"/);
    expect(() => check('list_')).toThrow(/"list"/);
    for (const right of ['db:drop', 'list', '*', 'db*', 'db:*', 'later', 'later:*']) check(right);
  });
});

it('a rule reads an argument by its name without a cast, as the type unknown', () => {
  const rules: readonly PolicyRule[] = [
    {
      tool: 'read_file',
      when: (call) => {
        expectTypeOf(call.input['path']).toBeUnknown();
        return String(call.input['path']).startsWith('/etc/');
      },
      action: 'deny',
    },
    // For all kinds of calls.
    { tool: '*', when: ({ caller }: PolicyCall) => caller === 'direct', action: 'deny' },
  ];
  const read = (path: string): string =>
    decide(rules, callOf({ toolName: 'read_file', input: { path } })).action;
  expect([read('/etc/passwd'), read('/srv/a')]).toEqual(['deny', 'allow']);
  // @ts-expect-error -- the type of an argument is not known
  const wrong: PolicyRule = { tool: 'a', when: (call) => call.input['path'].x, action: 'deny' };
  expect(decide([wrong], callOf({ toolName: 'a' })).action).toBe('deny');
});
