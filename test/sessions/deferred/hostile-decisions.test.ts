import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../src/execution/execution.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import type {
  ApprovalBatch,
  BatchDecision,
  DecideBatchOptions,
} from '../../../src/tools/policy/batches/approval-batch.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { useExecutors } from '../support.ts';
import { openShop, outcomes } from './shop.ts';

const makeExecutor = useExecutors();

const ALL = { others: { approved: true } } as const;
const DEFERS_THREE = 'for n in [1, 2, 3]: seen = await pay(amount=n)';

interface Desk {
  readonly queue: ApprovalQueue;
  readonly batch: ApprovalBatch;
  /** The ids of its requests. */
  readonly ids: readonly [string, string, string];
  readonly session: Session;
  /** The result of the program, once its calls are decided. */
  readonly ending: Promise<ExecutionResult>;
  readonly happened: readonly string[];
  readonly grants: ApprovalGrants;
}

/** A program that has deferred three calls and ended, so that they wait for a decision. Nobody may pay 50. */
async function openDesk(policy: Partial<PolicyOptions> = {}): Promise<Desk> {
  const asked = createDeferred<ApprovalBatch>();
  const queue = new ApprovalQueue({ onBatch: (batch) => asked.resolve(batch) });
  const grants = new ApprovalGrants();
  const { options, happened } = openShop({
    rules: [
      { tool: 'pay', when: ({ input }) => input['amount'] === 50, action: 'deny' },
      { tool: 'pay', action: 'ask' },
    ],
    approver: queue,
    grants,
    ...policy,
  });
  const session = await makeExecutor(options).executor.acquire();
  const ending = session.execute(DEFERS_THREE);
  const batch = await asked.promise;
  const [first, second, third] = batch.requests.map(({ id }) => id);
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error('The batch has three calls.');
  }
  return { queue, batch, ids: [first, second, third], session, ending, happened, grants };
}

type Attempt = readonly [batchId: string, decision: BatchDecision, options?: DecideBatchOptions];

describe('a decision about deferred calls', () => {
  it.each<[string, string, (desk: Desk) => Attempt]>([
    ['of an unknown batch', 'APPROVAL_NOT_OPEN', () => ['no such batch', ALL]],
    ['of the id of a call', 'APPROVAL_NOT_OPEN', ({ ids }) => [ids[0], ALL]],
    [
      'about a call of another batch',
      'OPTION_INVALID',
      ({ batch }) => [batch.id, { ...ALL, calls: { other: { approved: true } } }],
    ],
    [
      'about the name of what objects inherit',
      'OPTION_INVALID',
      ({ batch }) => [batch.id, { ...ALL, calls: { constructor: { approved: true } } }],
    ],
    [
      'with arguments that do not fit the schema',
      'OPTION_INVALID',
      ({ batch, ids: [id] }) => [
        batch.id,
        { ...ALL, calls: { [id]: { approved: true, arguments: { amount: 'x' } } } },
      ],
    ],
    [
      'with arguments that a rule denies',
      'OPTION_INVALID',
      ({ batch, ids: [id] }) => [
        batch.id,
        { ...ALL, calls: { [id]: { approved: true, arguments: { amount: 50 } } } },
      ],
    ],
    [
      'with a grant for a tool that is not there',
      'OPTION_INVALID',
      ({ batch }) => [batch.id, ALL, { grant: { toolName: 'gone', calls: 1 } }],
    ],
    [
      'with a grant for a tool of which no call waits',
      'OPTION_INVALID',
      ({ batch }) => [batch.id, ALL, { grant: { toolName: 'look', calls: 1 } }],
    ],
    [
      'with a grant that covers a call which it rejects',
      'OPTION_INVALID',
      ({ batch, ids: [id] }) => [
        batch.id,
        { ...ALL, calls: { [id]: { approved: false, reason: 'no' } } },
        { grant: { toolName: 'pay', calls: 1 } },
      ],
    ],
  ])('%s is refused, and they wait for another one', async (_, code, attempt) => {
    const desk = await openDesk();
    const { queue, batch, ending, happened, grants } = desk;
    const [id, decision, options] = attempt(desk);
    expect(() => queue.decideBatch(id, decision, options)).toThrow(
      expect.objectContaining({ code }),
    );
    expect(queue.pendingBatches).toEqual([batch]);
    expect(happened).toEqual([]);
    queue.decideBatch(batch.id, ALL);
    expect(outcomes(await ending)).toEqual(['1 done', '2 done', '3 done']);
    expect(grants.active).toEqual([]);
  });

  it('counts once', async () => {
    const { queue, batch, ending, happened } = await openDesk();
    queue.decideBatch(batch.id, { others: { approved: false, reason: 'no' } });
    expect(() => queue.decideBatch(batch.id, ALL)).toThrow(
      expect.objectContaining({ details: { id: batch.id, state: 'decided' } }),
    );
    expect(outcomes(await ending)).toEqual([1, 2, 3].map((n) => `${n} not-made Rejected`));
    expect(happened).toEqual([]);
  });

  it('does not count when its time is over', async () => {
    const { queue, batch, ending, happened } = await openDesk({ approvalTimeoutMs: 1 });
    expect(outcomes(await ending)).toEqual([1, 2, 3].map((n) => `${n} not-made Rejected`));
    expect(() => queue.decideBatch(batch.id, ALL)).toThrow(
      expect.objectContaining({ details: { id: batch.id, state: 'ended' } }),
    );
    expect(happened).toEqual([]);
  });

  it('grants no more than it says', async () => {
    const { queue, batch, ending, session, happened } = await openDesk();
    const grant = { toolName: 'pay', calls: 1, until: 'session', fields: { amount: 1 } } as const;
    queue.decideBatch(batch.id, ALL, { grant });
    await ending;
    const next = session.execute(
      'print(await pay(amount=1))\nfor n in [1, 2]: print(await pay(amount=n))\nraise ValueError()',
    );
    expect((await next).stdout).toBe(
      "{'paid': 1}\n{'deferred': True, 'number': 1}\n{'deferred': True, 'number': 2}\n",
    );
    expect(happened).toEqual(['pay 1', 'pay 2', 'pay 3', 'pay 1']);
  });
});

describe('arguments that an approver edits so that they do not fit', () => {
  it.each([
    ['the schema', 'x'],
    ['the rules', 50],
  ])('%s leave out their call, and no other', async (_, amount) => {
    const rules: PolicyOptions['rules'] = [
      { tool: 'pay', when: ({ input }) => input['amount'] === 50, action: 'deny' },
      { tool: 'pay', action: 'ask' },
    ];
    const edited = { approved: true, arguments: { amount } } as const;
    const alone: PolicyOptions['approver'] = async (request) =>
      (request.arguments as { amount: number }).amount === 2 ? edited : { approved: true };
    const together: PolicyOptions['approver'] = {
      ask: alone,
      askBatch: async ({ requests: [, second] }) => ({
        ...ALL,
        calls: { [second?.id ?? '']: edited },
      }),
    };
    for (const approver of [alone, together]) {
      const { options, happened } = openShop({ rules, approver });
      const result = await makeExecutor(options).executor.execute(DEFERS_THREE);
      expect(outcomes(result)).toEqual(['1 done', '2 not-made Rejected', '3 done']);
      expect(happened).toEqual(['pay 1', 'pay 3']);
    }
  });
});
