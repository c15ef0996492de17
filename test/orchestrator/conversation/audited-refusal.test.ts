import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import { converse, says, uses } from '../support.ts';
import { auditLog } from '../../support/audit-log.ts';

it('a direct call whose arguments are not a JSON object is recorded, and its tool does not run', async () => {
  const entries: AuditEntry[] = [];
  const audit = auditLog((entry) => void entries.push(entry));
  const pay = {
    name: 'pay',
    description: 'Pays.',
    allowedCallers: ['direct'],
    run: () => expect.fail('The tool ran.'),
  } as const;
  const call = { ...uses('pay', {}), input: undefined };
  const { orchestrator, results } = converse([[call], says('Done.')], { toolList: [pay], audit });
  await orchestrator.run('Pay.');
  const text = expect.stringContaining('not a JSON object');
  expect(results(1)).toEqual([{ text, isError: true }]);
  expect(entries).toMatchObject([
    { type: 'tool-call-ended', toolName: 'pay', caller: 'direct', outcome: 'InvalidArguments' },
  ]);
  expect(entries[0]).toHaveProperty('arguments', undefined);
});
