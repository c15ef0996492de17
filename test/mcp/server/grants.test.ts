import { expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import { useBench } from '../../support/bench.ts';
import { connect, newClient, runCode } from './support.ts';

const called = createDeferred<undefined>();
const gate = createDeferred<undefined>();
const bench = useBench({
  toolList: [
    { name: 'pay', description: 'Pays.', allowedCallers: ['code', 'direct'], run: () => 'paid' },
    {
      name: 'gate',
      description: 'Waits.',
      run: async () => {
        called.resolve(undefined);
        await gate.promise;
      },
    },
  ],
});

function granting() {
  const grants = new ApprovalGrants();
  const rules = [{ tool: 'pay', action: 'ask' }] as const;
  const grant = { calls: 5, until: 'run' } as const;
  const approver = async () => ({ approved: true, grant }) as const;
  return { grants, policy: { rules, grants, approver } };
}

it('ends what was granted with the call of the client', async () => {
  const { grants, policy } = granting();
  const { client } = await connect('2026-07-28', { executor: bench.executor, policy });
  await client.callTool({ name: 'pay', arguments: {} });
  expect(grants.active).toEqual([]);
  expect(await runCode(client, 'await pay()')).toMatchObject({ isError: false });
  expect(grants.active).toEqual([]);
});

it('ends what was granted with the program, if it outlasts the call', async () => {
  const { grants, policy } = granting();
  const options = { executor: bench.executor, policy, yieldAfterMs: 1 };
  const { client } = await connect('2026-07-28', options, newClient('2026-07-28'));
  const { structuredContent } = await runCode(client, 'await pay()\nawait gate()');
  await called.promise;
  expect(grants.active).toHaveLength(1);
  gate.resolve(undefined);
  const { program } = structuredContent as { program: string };
  const input = { program, wait_ms: 300_000 };
  const ended = await client.callTool({ name: 'execute_code', arguments: input });
  expect(ended.structuredContent).toMatchObject({ status: 'ok' });
  expect(grants.active).toEqual([]);
});
