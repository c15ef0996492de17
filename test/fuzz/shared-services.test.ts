import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { Capacity, type Permit } from '../../src/sessions/supply/capacity.ts';
import { ownLoopTurn } from '../../src/shared/async/event-loop-work.ts';
import { Semaphore } from '../../src/shared/async/semaphore.ts';
import type { TransportListener } from '../../src/protocol/transport.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { configured, FakeRunner, outcome, ready } from '../support/fake-runner.ts';
import { fixedRuns } from './fixed-runs.ts';

/** The flood, two that send a few, and those without a name. */
const TENANTS = ['flood', 'a', 'b', undefined] as const;
type Tenant = (typeof TENANTS)[number];

/** Who asks, in order. Most are the flood. */
const requests = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Tenant>('flood') },
    { weight: 2, arbitrary: fc.constantFrom(...TENANTS) },
  ),
  { minLength: 1, maxLength: 30 },
);

/**
 * Of those who wait together, each tenant is served once before another is served again: whoever
 * asks little waits for one request of each other tenant, however many there are.
 */
function expectTurns(waited: readonly Tenant[], served: readonly Tenant[]): void {
  expect(served.map(String).toSorted()).toEqual(waited.map(String).toSorted());
  const left = new Map<Tenant, number>();
  for (const tenant of waited) left.set(tenant, (left.get(tenant) ?? 0) + 1);
  for (let next = 0; next < served.length;) {
    const round = served.slice(next, next + left.size);
    expect(round.map(String).toSorted()).toEqual([...left.keys()].map(String).toSorted());
    for (const tenant of round) {
      const count = (left.get(tenant) ?? 0) - 1;
      if (count > 0) left.set(tenant, count);
      else left.delete(tenant);
    }
    next += round.length;
  }
}

describe('what tenants share serves them in turn, and all of them', () => {
  it('a number of places, of which some who wait give up', async () => {
    const property = fc.asyncProperty(
      requests,
      fc.array(fc.nat({ max: 29 })),
      async (waits, left) => {
        const semaphore = new Semaphore(1);
        expect(semaphore.take()).toBeUndefined();
        const served: Tenant[] = [];
        const gaveUp = new Set(left.filter((index) => index < waits.length));
        const all = waits.map(async (tenant, index) => {
          const giveUp = new AbortController();
          const turn = semaphore.take(giveUp.signal, tenant);
          if (gaveUp.has(index)) giveUp.abort();
          if ((await turn) === false) return;
          served.push(tenant);
          semaphore.release();
        });
        semaphore.release();
        await Promise.all(all);
        expectTurns(
          waits.filter((_, index) => !gaveUp.has(index)),
          served,
        );
        expect(semaphore.load).toBe(0);
      },
    );
    await fc.assert(property, fixedRuns(200));
  });

  it('turns of the event loop', async () => {
    const property = fc.asyncProperty(requests, async (waits) => {
      const served: Tenant[] = [];
      await Promise.all(
        waits.map(async (tenant) => {
          await ownLoopTurn(tenant);
          served.push(tenant);
        }),
      );
      expect(served).toHaveLength(waits.length);
      expectTurns(waits, served);
    });
    await fc.assert(property, fixedRuns(100));
  });

  it('the right to have a sandbox, within the quota of each', async () => {
    const numbers = fc.integer({ min: 1, max: 4 });
    const holds = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 10 });
    const property = fc.asyncProperty(
      requests,
      numbers,
      numbers,
      holds,
      async (waits, max, most, order) => {
        const capacity = new Capacity({
          maxSandboxes: max,
          quota: { label: 'tenant', sandboxes: most },
          makeRoom: () => false,
        });
        const held: { readonly tenant: Tenant; readonly permit: Permit }[] = [];
        let served = 0;
        const all = waits.map(async (tenant) => {
          const permit = await capacity.acquire(new AbortController().signal, tenant);
          held.push({ tenant, permit });
          served += 1;
        });
        for (let step = 0; served < waits.length || held.length > 0; step += 1) {
          await nextTurn();
          expect(held.length).toBeLessThanOrEqual(max);
          for (const tenant of TENANTS) {
            const own = held.filter((one) => one.tenant === tenant).length;
            expect(own).toBeLessThanOrEqual(most);
          }
          // Somebody always has one: otherwise nobody would ever be served again.
          expect(held.length).toBeGreaterThan(0);
          const [released] = held.splice((order[step % order.length] ?? 0) % held.length, 1);
          released?.permit.release();
        }
        await Promise.all(all);
        expect(capacity.waiting).toBe(0);
      },
    );
    await fc.assert(property, fixedRuns(100));
  });
});

/** A runner whose programs end at once, when they have said whose they are. */
class EndingRunner extends FakeRunner {
  override listen(listener: TransportListener): void {
    super.listen(listener);
    queueMicrotask(() => this.say(ready()));
  }

  override send(message: HostMessage): void {
    super.send(message);
    if (message.kind === 'configure') this.say(configured('3.13.5', message.language));
    if (message.kind !== 'execute') return;
    queueMicrotask(() => this.say(outcome({ execution_id: message.execution_id })));
  }

  override destroy(): void {
    super.destroy();
    queueMicrotask(() => this.end());
  }
}

describe('an executor that tenants share', () => {
  it('ends every program of each, keeps its limits, and has nothing left', async () => {
    const limits = fc.record({
      maxSandboxes: fc.integer({ min: 1, max: 3 }),
      sandboxes: fc.integer({ min: 1, max: 3 }),
      concurrentPrograms: fc.integer({ min: 1, max: 3 }),
    });
    const property = fc.asyncProperty(
      requests,
      limits,
      async (waits, { maxSandboxes, ...quotas }) => {
        let [open, most] = [0, 0];
        const provider: SandboxProvider = {
          name: 'ending',
          languages: ['python'],
          create: async ({ sessionId }) => {
            open += 1;
            most = Math.max(most, open);
            const transport = new EndingRunner();
            const close = async (): Promise<void> => {
              transport.destroy();
              open -= 1;
            };
            return { id: sessionId, transport, close };
          },
          probe: async () => ({ usable: true, description: 'a double' }),
          close: async () => {},
        };
        const executor = new SandboxExecutor({ provider, maxSandboxes, fairBy: 'tenant', quotas });
        const results = await Promise.all(
          waits.map(async (tenant) =>
            executor.execute('1', { labels: tenant === undefined ? {} : { tenant } }),
          ),
        );
        expect(results.filter(({ status }) => status !== 'ok')).toEqual([]);
        expect(most).toBeLessThanOrEqual(maxSandboxes);
        expect(executor.stats()).toMatchObject({ waiting: 0, starting: 0 });
        await executor.close();
        expect(open).toBe(0);
      },
    );
    await fc.assert(property, fixedRuns(30));
  });
});
