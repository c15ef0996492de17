import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PtcError } from '../../../src/shared/errors.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import type { ApprovalGrant } from '../../../src/tools/policy/grants/grant.ts';
import { Office } from './office.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const UNUSABLE: readonly (readonly [string, object, RegExp])[] = [
  ['no number of calls', {}, /calls/],
  ['no call', { calls: 0 }, /grant\.calls must be a whole number, at least 1/],
  ['half a call', { calls: 1.5 }, /grant\.calls/],
  ['too many calls', { calls: 10_001 }, /grant\.calls must be at most 10000/],
  ['a scope that does not exist', { calls: 1, until: 'always' }, /grant\.until/],
  ['a negative time', { calls: 1, durationMs: -1 }, /grant\.durationMs/],
  ['a name that it does not have', { calls: 1, feilds: {} }, /feilds.*fields/],
  ['a tool', { calls: 1, tool: 'send' }, /tool/],
  ['a value that the call does not have', { calls: 1, fields: { amount: 2 } }, /amount.*not 2/],
  ['a field that the call does not have', { calls: 1, fields: { to: 'a' } }, /grant\.fields\.to/],
  ['a value that is not JSON', { calls: 1, fields: { amount: 1n } }, /JSON/],
  ['an undefined value', { calls: 1, fields: { to: undefined } }, /grant\.fields\.to.*undefined/],
  [
    'an undefined value in a list',
    { calls: 1, fields: { amount: 1, to: [undefined] } },
    /grant\.fields\.to.*undefined/,
  ],
  [
    'an undefined value in its schema',
    { calls: 1, argumentsSchema: { properties: { to: { const: undefined } } } },
    /grant\.argumentsSchema\.properties\.to\.const.*undefined/,
  ],
  ['fields that are a list', { calls: 1, fields: [1] }, /fields/],
  [
    'a schema that the call does not fit',
    { calls: 1, argumentsSchema: { required: ['to'] } },
    /grant\.argumentsSchema.*to/,
  ],
  ['a schema that is none', { calls: 1, argumentsSchema: { type: 'dict' } }, /not a JSON Schema/],
  [
    'a pattern that can take long',
    { calls: 1, argumentsSchema: { properties: { to: { pattern: '^(a+)+$(?=b)' } } } },
    /simpler/,
  ],
];

describe('a grant that cannot be used', () => {
  it.each(UNUSABLE)('with %s rejects the call', async (_what, grant) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const office = new Office(grant as ApprovalGrant);
    const outcome = await office.program().call('pay', { amount: 1 });
    expect(outcome).toMatchObject({ failure: { type: 'Rejected' } });
    expect(warning).toHaveBeenCalledOnce();
    expect(office.grants.active).toEqual([]);
  });

  it.each(UNUSABLE)(
    'with %s is refused by a queue, and the call waits',
    async (_what, grant, says) => {
      const queue = new ApprovalQueue();
      const office = new Office({ calls: 1 }, queue);
      const call = office.program().call('pay', { amount: 1 });
      await expect.poll(() => queue.pending.length).toBe(1);
      const [{ id } = { id: '' }] = queue.pending;
      const error = thrownBy(() => queue.approve(id, { grant: grant as ApprovalGrant }));
      expect(error).toMatchObject({ code: 'OPTION_INVALID' });
      expect(error?.message).toMatch(says);
      expect(queue.approve(id, { grant: { calls: 3 } })).toBe(true);
      expect(await call).toMatchObject({ ok: true });
      expect(office.grants.active).toMatchObject([{ callsLeft: 3 }]);
    },
  );

  it('that covers the call only as the approver changed its copy is refused', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const office = new Office({ calls: 1 }, async ({ arguments: copy }) => {
      Object.assign(copy as object, { amount: 1 });
      return { approved: true, grant: { calls: 3, fields: { amount: 1 } } };
    });
    expect(await office.program().call('pay', { amount: 9 })).toMatchObject({ ok: false });
    expect(office.grants.active).toEqual([]);
    expect(warning).toHaveBeenCalledOnce();
  });

  it('because the policy keeps none says so', async () => {
    const queue = new ApprovalQueue();
    const call = new Office({ calls: 1 }, queue, false).program().call('pay', {});
    await expect.poll(() => queue.pending.length).toBe(1);
    const [{ id, canGrant } = { id: '', canGrant: true }] = queue.pending;
    expect(canGrant).toBe(false);
    const error = thrownBy(() => queue.approve(id, { grant: { calls: 3 } }));
    expect(error?.message).toMatch(/has no `grants`/);
    queue.approve(id);
    expect(await call).toMatchObject({ ok: true });
  });

  it('for the program of a direct call is refused', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    for (const until of ['program', 'session'] as const) {
      const office = new Office({ calls: 1, until });
      const direct = office.program({ program: undefined, sessionId: undefined });
      expect(await direct.call('pay', {}, 'direct')).toMatchObject({ ok: false });
    }
    expect(warning).toHaveBeenCalledTimes(2);
  });
});

function thrownBy(action: () => unknown): PtcError | undefined {
  try {
    action();
  } catch (error) {
    return error as PtcError;
  }
  return undefined;
}
