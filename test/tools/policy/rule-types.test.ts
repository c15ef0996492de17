import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { checkRules, decide, type PolicyRule } from '../../../src/tools/policy/policy.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import type { RuleFor } from '../../../src/tools/policy/rule-for.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import type { Tool, ToolContext } from '../../../src/tools/tool.ts';

// The compiler checks these: an expected error that does not come is an error.

interface Move {
  readonly from: string;
  readonly to?: string;
}
const common = { description: 'Does it.' };
const read = defineTool({
  ...common,
  name: 'files:read',
  inputSchema: z.object({ path: z.string(), line: z.string().transform(Number) }),
  run: ({ path }, { context }: ToolContext<{ readonly user: string }>) => path + context.user,
});
const move = defineTool({
  ...common,
  name: 'files:move',
  inputSchema: { type: 'object' },
  run: ({ from }: Move) => from,
});
const tools = [read, move];
const registry = new ToolRegistry(tools);

test('a rule gets the arguments of the tool that it names, with their types', () => {
  const rules: RuleFor<typeof tools>[] = [
    {
      tool: 'files:read',
      when: (call) => {
        expectTypeOf(call.input).toEqualTypeOf<{
          readonly path: string;
          readonly line: number;
        }>();
        return call.input.path.startsWith('/etc/') && call.caller === 'code';
      },
      action: 'deny',
    },
    { tool: 'files:move', when: ({ input: { to = '/' } }) => to === '/', action: 'ask' },
    // It applies to several tools, so that each argument is unknown.
    { tool: 'files:*', when: (call) => call.input['from'] === '/etc/', action: 'deny' },
    { tool: ['files:read', 'files:m*'], action: 'deny', reason: 'not now' },
    { tool: 'files:move', annotations: { destructiveHint: true }, action: 'ask' },
  ];
  const call = {
    caller: 'code',
    callId: '1',
    sessionId: undefined,
    labels: {},
    annotations: {},
  } as const;
  const { action } = decide(checkRules(rules), {
    ...call,
    toolName: 'files:read',
    input: { path: '/etc/passwd', line: 1 },
  });
  expect(action).toBe('deny');
});

test('a rule for a hint that does not exist does not compile', () => {
  const rules: RuleFor<typeof tools>[] = [
    // @ts-expect-error it is `readOnlyHint`
    { tool: 'files:*', annotations: { readonlyHint: true }, action: 'allow' },
  ];
  expect(() => checkRules(rules)).toThrow('Did you mean readOnlyHint?');
});

test('an executor takes such rules', () => {
  const policy: { readonly rules: readonly RuleFor<typeof tools>[] } = { rules: [] };
  expectTypeOf(policy).toExtend<PolicyOptions>();
});

test('a rule for an argument that its tool does not have does not compile', () => {
  const rules: RuleFor<typeof tools>[] = [
    // @ts-expect-error it is `path`
    { tool: 'files:read', when: (call) => call.input.file === '/', action: 'deny' },
    // @ts-expect-error it is a text
    { tool: 'files:read', when: (call) => call.input.path > 1, action: 'deny' },
    // @ts-expect-error it can be undefined
    { tool: 'files:move', when: (call) => call.input.to.startsWith('/'), action: 'deny' },
  ];
  expect(checkRules(rules)).toHaveLength(3);
});

test('a rule for a tool that is not there does not compile', () => {
  const rules: RuleFor<typeof registry>[] = [
    { tool: 'files:read', when: ({ input: { path } }) => path === '/', action: 'deny' },
    // @ts-expect-error there is no such tool
    { tool: 'files_read', action: 'deny' },
    // @ts-expect-error there is no such tool
    { tool: ['files:read', 'files:write'], action: 'deny' },
  ];
  expect(checkRules(rules)).toHaveLength(3);
});

test('a rule for tools of which one has an unknown name is an ordinary rule', () => {
  expectTypeOf<RuleFor<Tool[]>>().toEqualTypeOf<PolicyRule>();
  expectTypeOf<RuleFor<(Tool | typeof read)[]>>().toEqualTypeOf<PolicyRule>();
  expectTypeOf<RuleFor<ToolRegistry>>().toEqualTypeOf<PolicyRule>();
  const definition = { ...common, name: 'add', run: () => 1 };
  expectTypeOf<RuleFor<[typeof definition]>>().toEqualTypeOf<PolicyRule>();
});
