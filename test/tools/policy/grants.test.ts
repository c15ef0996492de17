import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CallingUnit } from '../../../src/tools/policy/call-gate.ts';
import { Office } from './office.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a grant', () => {
  it('covers as many further calls of the tool as it says, and names itself for each', async () => {
    const office = new Office({ calls: 2 });
    const { call } = office.program();
    for (let amount = 1; amount <= 4; amount += 1) {
      expect(await call('pay', { amount })).toMatchObject({ ok: true });
    }
    expect(office.asked.map(({ arguments: sent }) => sent)).toEqual([{ amount: 1 }, { amount: 4 }]);
    const granted = office.decisions.filter(({ decision }) => decision === 'granted');
    expect(granted.map(({ grant }) => grant?.callsLeft)).toEqual([1, 0]);
    const given = office.decisions.find(({ decision }) => decision === 'approved')?.grant;
    expect(given).toMatchObject({ callsLeft: 2 });
    expect(granted.map(({ grant }) => grant?.id)).toEqual([given?.id, given?.id]);
    expect(office.grants.active).toEqual([]);
  });

  it('is not for another tool', async () => {
    const office = new Office({ calls: 5 });
    const { call } = office.program();
    await call('pay', { amount: 1 });
    await call('send', { amount: 1 });
    expect(office.asked.map(({ toolName }) => toolName)).toEqual(['pay', 'send']);
  });

  it('never passes a rule that denies', async () => {
    const office = new Office({ calls: 5 });
    const { call } = office.program();
    await call('pay', { amount: 1 });
    expect(await call('pay', { amount: 1001 })).toMatchObject({ failure: { type: 'Denied' } });
    expect(office.grants.active).toMatchObject([{ callsLeft: 5 }]);
  });

  it('covers only calls with its fields, as they were sent', async () => {
    const office = new Office({ calls: 5, fields: { to: { id: 7, of: 'a' } } });
    const { call } = office.program();
    await call('pay', { to: { id: 7, of: 'a' }, amount: 1 });
    await call('pay', { to: { of: 'a', id: 7 }, amount: 2 });
    expect(office.asked).toHaveLength(1);
    for (const to of [{ id: 7 }, { id: '7', of: 'a' }, 'a', null, [{ id: 7, of: 'a' }]]) {
      await call('pay', { to, amount: 3 });
    }
    await call('pay', {});
    // Not an own field of the arguments.
    await call('pay', JSON.parse('{"__proto__": {"to": {"id": 7, "of": "a"}}}'));
    expect(office.asked).toHaveLength(8);
  });

  it('covers calls with the JSON of a value that has a method for it', async () => {
    const day = { toJSON: () => '2026-01-02', time: undefined };
    const office = new Office({ calls: 5, fields: { day } });
    const { call } = office.program();
    await call('pay', { day: '2026-01-02' });
    await call('pay', { day: '2026-01-02' });
    expect(office.asked).toHaveLength(1);
  });

  it('covers only calls that fit its schema', async () => {
    const argumentsSchema = { properties: { amount: { maximum: 10 } }, required: ['amount'] };
    const office = new Office({ calls: 5, argumentsSchema });
    const { call } = office.program();
    for (const sent of [{ amount: 1 }, { amount: 10 }, { amount: 11 }, {}]) await call('pay', sent);
    expect(office.asked.map(({ arguments: sent }) => sent)).toEqual([
      { amount: 1 },
      { amount: 11 },
      {},
    ]);
  });

  it.each([
    [undefined, { other: 1, run: 1, session: 1 }],
    ['run', { other: 0, run: 1, session: 1 }],
    ['session', { other: 0, run: 0, session: 1 }],
  ] as const)('until %s is for calls of that alone', async (until, asks) => {
    const office = new Office({ calls: 50, ...(until && { until }) });
    await office.program().call('pay', {});
    const asksIn = async (changes: Partial<CallingUnit>): Promise<number> => {
      const before = office.asked.length;
      await office.program({ program: {}, ...changes }).call('pay', {});
      return office.asked.length - before;
    };
    expect({
      other: await asksIn({}),
      run: await asksIn({ runId: 'another' }),
      session: await asksIn({ runId: 'another', sessionId: 'another' }),
    }).toEqual(asks);
  });

  it.each(['program', 'run'] as const)('until %s ends with it', async (until) => {
    const office = new Office({ calls: 5, until });
    const program = office.program();
    await program.call('pay', {});
    expect(office.grants.active).toMatchObject([{ until, sessionId: 'session', runId: 'run' }]);
    program.gate.end();
    expect(office.grants.active).toEqual([]);
  });

  it.each(['program', 'run'] as const)('until %s is not given when it has ended', async (until) => {
    const office = new Office({ calls: 1 }, async () => {
      program.gate.end();
      return { approved: true, grant: { calls: 5, until } };
    });
    const program = office.program();
    expect(await program.call('pay', {})).toMatchObject({ ok: true });
    expect(office.grants.active).toEqual([]);
    expect(office.decisions.at(-1)).toMatchObject({ decision: 'approved', grant: undefined });
  });

  it('until run does not end with a program of the run', async () => {
    const office = new Office({ calls: 5, until: 'run' });
    const program = office.program({ endsRun: false });
    await program.call('pay', {});
    program.gate.end();
    expect(office.grants.active).toHaveLength(1);
    office.program({ program: undefined, sessionId: undefined, endsRun: true }).gate.end();
    expect(office.grants.active).toEqual([]);
  });

  it('until session ends when the session closes', async () => {
    const office = new Office({ calls: 5, until: 'session' });
    const session = new AbortController();
    const program = office.program({ sessionClosed: session.signal });
    await program.call('pay', {});
    program.gate.end();
    expect(office.grants.active).toHaveLength(1);
    session.abort();
    expect(office.grants.active).toEqual([]);
  });

  it('ends after its time', async () => {
    const clock = vi.spyOn(performance, 'now');
    const office = new Office({ calls: 5, durationMs: 1000 });
    const { call } = office.program();
    await call('pay', {});
    expect(office.grants.active).toHaveLength(1);
    const now = performance.now();
    clock.mockReturnValue(now + 1000);
    expect(office.grants.active).toEqual([]);
    await call('pay', {});
    expect(office.asked).toHaveLength(2);
  });

  it('that is revoked covers no further call', async () => {
    const office = new Office({ calls: 5 });
    const { call } = office.program();
    await call('pay', {});
    await call('pay', {});
    const [{ id } = { id: '' }] = office.grants.active;
    expect(office.grants.revoke(id)).toBe(true);
    expect(office.grants.revoke(id)).toBe(false);
    await call('pay', {});
    expect(office.asked).toHaveLength(2);
  });

  it('of a direct call is for the run', async () => {
    const office = new Office({ calls: 5 });
    const { call } = office.program({ program: undefined, sessionId: undefined });
    await call('pay', {}, 'direct');
    expect(office.grants.active).toMatchObject([{ until: 'run', sessionId: undefined }]);
  });

  it('beyond the thousandth is dropped, and its call runs', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const office = new Office({ calls: 1 }, async () => ({
      approved: true,
      grant: { calls: 1 },
    }));
    const programs = Array.from({ length: 1001 }, () => office.program());
    for (const { call } of programs) expect(await call('pay', {})).toMatchObject({ ok: true });
    expect(office.grants.active).toHaveLength(1000);
    expect(warning).toHaveBeenCalledOnce();
  });
});
