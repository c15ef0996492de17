import { expect, it, vi } from 'vitest';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { ApprovalGrants } from '../../src/tools/policy/grants/approval-grants.ts';
import { PolicyGate, type PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

const AT_ONCE = 2;
const CALLS = 40;

/** What a program that calls `pay` many times at once does while the approver decides. */
async function run(policy: Omit<PolicyOptions, 'grants'>): Promise<{ readonly most: number }> {
  let now = 0;
  let most = 0;
  const pay = async (): Promise<null> => {
    now += 1;
    most = Math.max(most, now);
    // As long as another tool could begin.
    await nextTurn();
    now -= 1;
    return null;
  };
  const { runner, connection } = connect({ budgets: { concurrentToolCalls: AT_ONCE } });
  const answered = createDeferred<void>();
  let results = 0;
  runner.onMessage = ({ kind }) => {
    if (kind === 'tool-result' && (results += 1) === CALLS) answered.resolve();
  };
  const running = connection.execute(
    request({
      tools: new ToolRegistry([{ name: 'pay', description: 'Pays.', run: pay }]).snapshot(),
      policy: new PolicyGate({ ...policy, grants: new ApprovalGrants() }),
    }),
  );
  for (let index = 0; index < CALLS; index += 1) runner.say(toolCall(`call-${index}`, 'pay'));
  await answered.promise;
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok', toolCalls: CALLS });
  return { most };
}

it('calls that a grant covers when they have waited for the approver run only as many at a time as others', async () => {
  const asked = vi.fn<() => void>();
  const { most } = await run({
    rules: [{ tool: 'pay', action: 'ask' }],
    approver: async () => {
      asked();
      return { approved: true, grant: { calls: CALLS } };
    },
  });
  expect(asked.mock.calls.length).toBeLessThan(CALLS);
  expect(most).toBe(AT_ONCE);
});

it('calls that the rules allow when they have waited for the approver run only as many at a time as others', async () => {
  let action: 'ask' | 'allow' = 'ask';
  const { most } = await run({
    rules: [
      { tool: 'pay', when: () => action === 'ask', action: 'ask' },
      { tool: 'pay', action: 'allow' },
    ],
    approver: async () => {
      // As long as calls arrive.
      await nextTurn();
      action = 'allow';
      return { approved: true };
    },
  });
  expect(most).toBe(AT_ONCE);
});

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
