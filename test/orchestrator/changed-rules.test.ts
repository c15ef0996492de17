import { describe, expect, it } from 'vitest';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import { useExecutors } from '../sessions/support.ts';
import { converse, runs, says, uses } from './support.ts';

const make = useExecutors();

const tool: ToolDefinition = {
  name: 'pay',
  description: 'Pays.',
  allowedCallers: ['code', 'direct'],
  run: () => 'paid',
};

const PAYS = 'try: print(await pay())\nexcept ToolError as error: print(error.type)';

/** A policy that denies the calls, and its list of rules, which may change. */
function denying(): { readonly rules: PolicyRule[]; readonly policy: { rules: PolicyRule[] } } {
  const rules: PolicyRule[] = [{ tool: 'pay', action: 'deny' }];
  return { rules, policy: { rules } };
}

/** The ways to withdraw a rule of a list in place. */
const CHANGES: readonly (readonly [string, (rules: PolicyRule[]) => void])[] = [
  ['removed', (rules) => rules.splice(0)],
  ['replaced', (rules) => rules.splice(0, 1, { tool: 'pay', action: 'allow' })],
  ['changed', ([rule]) => Object.assign(rule ?? {}, { action: 'allow' })],
];

const TURNS = [[uses('pay', {}, 'd')], runs(PAYS, 'p'), says('Done.')];

describe.each(CHANGES)('a rule that is later %s in its list', (_, change) => {
  it.each([
    ['a conversation', false],
    ['its executor', true],
  ])('stays in force for direct calls and programs of %s', async (_of, isOfExecutor) => {
    const { rules, policy } = denying();
    const { orchestrator, results } = converse([...TURNS, ...TURNS], {
      tools: [tool],
      ...(isOfExecutor ? { executor: make({ policy, tools: [tool] }).executor } : { policy }),
    });
    for (const first of [1, 4]) {
      await orchestrator.run('Pay.');
      expect(results(first)[0]?.text).toMatch(/^Denied: /);
      expect(results(first + 1)[0]?.text).toMatch(/^Denied(?:\n|$)/);
      change(rules);
    }
  });

  it('stays in force before the first run, and in a fork', async () => {
    const { rules, policy } = denying();
    const turns = [...TURNS, ...TURNS];
    const { orchestrator, results } = converse(turns, { tools: [tool], policy });
    change(rules);
    await orchestrator.run('Pay.');
    const fork = orchestrator.fork();
    await fork.run('Pay.');
    await fork.close();
    for (const first of [1, 4]) {
      expect(results(first)[0]?.text).toMatch(/^Denied: /);
      expect(results(first + 1)[0]?.text).toMatch(/^Denied(?:\n|$)/);
    }
  });

  it('stays in force for a code tool', async () => {
    const { rules, policy } = denying();
    const { executor } = make({ tools: [tool] });
    const code = codeTool({ executor, policy });
    change(rules);
    expect((await code.execute({ code: PAYS })).text).toBe('Denied');
    await code.close();
  });

  it('is not in force for a program that gets the policy after that', async () => {
    const { rules, policy } = denying();
    const { executor } = make({ tools: [tool] });
    expect((await executor.execute(PAYS, { policy })).stdout).toBe('Denied\n');
    change(rules);
    expect((await executor.execute(PAYS, { policy })).stdout).toBe('paid\n');
  });
});
