import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PoolLease } from '../../../../src/providers/kubernetes/pool/pool-lease.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { LeaseServer } from '../keys/lease-server.ts';
import { silence } from '../keys/silence.ts';

/** No host takes the pool because its keeper was silent. */
const TIMES = { renewMs: 3_600_000, staleMs: 3_600_000 };

interface Host {
  readonly lease: PoolLease;
  readonly onHeld: () => void;
}

/** A host that wants to keep the pool. It leaves with the test. */
function join({ cluster }: LeaseServer, host: string, times: typeof TIMES = TIMES): Host {
  const onHeld = vi.fn<() => void>();
  const template = { name: 'sandboxed-ptc', uid: 'uid-1' };
  const place = { cluster, namespace: 'agents', template };
  const lease = new PoolLease({ ...place, host, times, onHeld, onLost: () => {} });
  onTestFinished(async () => lease.close());
  return { lease, onHeld };
}

function members({ store }: LeaseServer): number {
  return Object.keys(store.all[0]?.metadata.annotations ?? {}).length;
}

describe('a host that kept the pool and is closed leaves it to another at once', () => {
  it('if that has joined since the last renewal', async () => {
    const server = await LeaseServer.start();
    const keeper = join(server, 'a');
    await expect.poll(() => keeper.onHeld).toHaveBeenCalledOnce();
    const other = join(server, 'b');
    await expect.poll(() => members(server)).toBe(2);
    await keeper.lease.close();
    await expect.poll(() => other.onHeld).toHaveBeenCalledOnce();
  });

  it('if a renewal is under way', async () => {
    const server = await LeaseServer.start();
    const keeper = join(server, 'a', { ...TIMES, renewMs: 50 });
    const renewed = createDeferred<void>();
    server.meddle = ({ method }, _response, done) => {
      if (method !== 'PATCH') return false;
      done();
      renewed.resolve();
      // Its answer does not come.
      return true;
    };
    await renewed.promise;
    await keeper.lease.close();
    expect(server.store.names).toEqual([]);
  });
});

it.each(['keeps', 'shares'])(
  'a host that %s the pool and is closed does not wait for an API server that is silent',
  async (what) => {
    const server = await LeaseServer.start();
    const keeper = join(server, 'a');
    await expect.poll(() => keeper.onHeld).toHaveBeenCalledOnce();
    const other = join(server, 'b');
    await expect.poll(() => members(server)).toBe(2);
    silence(server);
    await (what === 'keeps' ? keeper : other).lease.close();
    // It may still be on its way.
    const asked = what === 'keeps' ? 'DELETE' : 'PATCH';
    await expect.poll(() => server.requests.at(-1)?.method).toBe(asked);
  },
);

it('a host that is closed does not remove the Lease of another that has taken the pool', async () => {
  const server = await LeaseServer.start();
  const keeper = join(server, 'a');
  await expect.poll(() => keeper.onHeld).toHaveBeenCalledOnce();
  server.isSilent = true;
  const [name = ''] = server.store.names;
  const body = [{ op: 'replace', path: '/spec/holderIdentity', value: 'b' }] as const;
  server.store.do({ method: 'PATCH', name, body });
  await keeper.lease.close();
  expect(server.store.names).toEqual([name]);
});
