import { expect, it } from 'vitest';
import type { PolicyRule } from '../../../src/tools/policy/policy.ts';
import { useBench } from '../../support/bench.ts';
import { connect, runCode, textOf } from './support.ts';

const bench = useBench({
  toolList: [
    { name: 'pay', description: 'Pays.', allowedCallers: ['code', 'direct'], run: () => 'paid' },
  ],
});

it('a rule that is later removed from its list stays in force for clients', async () => {
  const rules: PolicyRule[] = [{ tool: 'pay', action: 'deny' }];
  const { client } = await connect('2026-07-28', { executor: bench.executor, policy: { rules } });
  rules.length = 0;
  expect(textOf(await client.callTool({ name: 'pay', arguments: {} }))).toMatch(/^Denied: /);
  expect(textOf(await runCode(client, 'await pay()'))).toContain('pay failed (Denied)');
});
