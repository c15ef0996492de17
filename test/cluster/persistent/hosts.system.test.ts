import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { keyLeaseName, readKeyLease } from '../../../src/providers/kubernetes/keys/key-lease.ts';
import type { Pod } from '../../../src/providers/kubernetes/pod/pod-types.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { ClusterApi } from '../api.ts';
import { boundToRestricted, install, type Installed } from '../installed.ts';
import { type KeyHost, startHost } from '../keys/key-hosts.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const admin = new ClusterApi(kubeconfig);
const WAIT_MS = 120_000;
const ENDLESS = 'began = True\nprint(1)\nimport time\nwhile True: time.sleep(60)';

const TWO_CALLS = `
import asyncio
async def later():
    await asyncio.sleep(1)
    await note(number=2)
await asyncio.gather(note(number=1), later())
`;

type Phase = 'starting' | 'idle' | 'busy' | 'leaving';
/** Ends what hangs. On a busy machine, four hosts that start at once take more than a minute. */
const POLL = { timeout: 200_000 };

describeWithEngine('a persistent session in a cluster', () => {
  let installed: Installed;
  let taker: KeyHost;

  beforeAll(async () => {
    installed = await install(admin, { image, change: boundToRestricted });
    taker = await start('http://taker');
  });
  afterAll(async () => {
    await taker.end();
    await installed.remove();
  });

  async function start(url: string): Promise<KeyHost> {
    return startHost(url, restrictedKubeconfig, { namespace: installed.namespace });
  }

  async function hostOfTest(url = 'http://one'): Promise<KeyHost> {
    const host = await start(url);
    onTestFinished(async () => host.end());
    return host;
  }

  async function podsOf(key: string): Promise<readonly Pod[]> {
    const path = `/api/v1/namespaces/${installed.namespace}/pods?labelSelector=sandboxed-ptc.session%3D${sessionIdOf(key)}`;
    return ((await admin.send('GET', path)) as { items: Pod[] }).items;
  }

  /** How many hosts wait for a key. */
  async function waiting(key: string): Promise<number | undefined> {
    const name = keyLeaseName(sessionIdOf(key));
    const path = `/apis/coordination.k8s.io/v1/namespaces/${installed.namespace}/leases/${name}`;
    const { status, body } = await admin.request('GET', path);
    return status === 200 ? readKeyLease(JSON.parse(body))?.requests.length : undefined;
  }

  it('goes with its state to the host that asks, if nobody uses it', async () => {
    const host = await hostOfTest();
    const wanted = { key: randomUUID(), persistent: true };
    expect(await host.tell('acquire', wanted)).toEqual({ isNew: true });
    await host.tell('execute', { ...wanted, code: 'kept = 42' });
    expect(await taker.tell('acquire', wanted)).toMatchObject({ code: 'SESSION_HELD' });
    await host.tell('release', wanted);
    expect(await taker.tell('acquire', wanted)).toEqual({ isNew: false, resumed: 'idle' });
    expect(await host.tell('closing', wanted)).toBe('handed-over');
    expect(await taker.tell('execute', { ...wanted, code: 'print(kept)' })).toMatchObject({
      stdout: '42\n',
    });
    // And back, to a host that has had it.
    await taker.tell('release', wanted);
    expect(await host.tell('acquire', wanted)).toEqual({ isNew: false, resumed: 'idle' });
    expect(await host.tell('execute', { ...wanted, code: 'print(kept)' })).toMatchObject({
      stdout: '42\n',
    });
    await host.tell('destroy', wanted);
    expect(await podsOf(wanted.key)).toEqual([]);
  });

  it('is left by a host that closes, its program stopped, and found by the next', async () => {
    const host = await hostOfTest();
    const wanted = { key: randomUUID(), persistent: true };
    await host.tell('acquire', wanted);
    await host.tell('execute', { ...wanted, code: 'kept = 42' });
    await host.tell('begin', { ...wanted, code: ENDLESS });
    await host.tell('close', wanted);
    expect(await host.tell('closing', wanted)).toBe('left');
    expect(await taker.tell('acquire', wanted)).toEqual({ isNew: false, resumed: 'idle' });
    await taker.tell('destroy', wanted);
  });

  /** Kills the host of a session in a phase of its life. @returns what another one then gets. */
  async function killIn(phase: Phase): Promise<unknown> {
    const wanted = { key: randomUUID(), persistent: true, waitMs: WAIT_MS };
    const host = await start(`http://${phase}`);
    const acquired = host.tell('acquire', wanted);
    let taken: Promise<unknown> | undefined;
    if (phase === 'starting') {
      await expect.poll(async () => podsOf(wanted.key), POLL).toHaveLength(1);
    } else {
      await acquired;
      await host.tell('execute', { ...wanted, code: 'kept = 42' });
      // In the other phases, the program has ended.
      if (phase === 'busy') await host.tell('begin', { ...wanted, code: ENDLESS });
    }
    if (phase === 'leaving') {
      taken = taker.tell('acquire', wanted);
      await expect.poll(async () => waiting(wanted.key), POLL).toBe(1);
      // It does not answer: it is killed meanwhile.
      host.tell('release', wanted).catch(() => undefined);
    }
    await host.end();
    const got = await (taken ?? taker.tell('acquire', wanted));
    const look = { ...wanted, code: 'print(globals().get("kept"))' };
    const { stdout } = (await taker.tell('execute', look)) as { readonly stdout: string };
    await taker.tell('destroy', wanted);
    // Also not that of the host that was killed.
    await expect.poll(async () => podsOf(wanted.key), POLL).toEqual([]);
    return { ...(got as object), stdout };
  }

  it('goes to who waits if its host is killed, whatever that does', async () => {
    const phases = ['starting', 'idle', 'busy', 'leaving'] as const;
    const kept = { isNew: false, resumed: 'idle', stdout: '42\n' };
    expect(await Promise.all(phases.map(killIn))).toEqual([
      // Whether its pod has started meanwhile decides whether there is something to take over.
      expect.objectContaining({ isNew: true, stdout: 'None\n' }),
      kept,
      { ...kept, resumed: 'interrupted' },
      kept,
    ]);
  });

  it('was taken over from a host that was stopped, which does nothing to it when it goes on [kubernetes/takeover]', async () => {
    const host = await hostOfTest();
    const wanted = { key: randomUUID(), persistent: true, waitMs: WAIT_MS };
    await host.tell('acquire', wanted);
    await host.tell('execute', { ...wanted, code: 'kept = 42' });
    await host.tell('begin', { ...wanted, code: ENDLESS });
    const next = host.tell('execute', { ...wanted, code: 'kept = "of the host that was stopped"' });
    host.kill('SIGSTOP');
    expect(await taker.tell('acquire', wanted)).toEqual({ isNew: false, resumed: 'interrupted' });
    const closing = host.tell('closing', wanted);
    const destroyed = host.tell('destroy', wanted);
    host.kill('SIGCONT');
    expect(['key-lost', 'sandbox-lost', 'closed']).toContain(await closing);
    expect(await next).not.toMatchObject({ status: 'ok' });
    await destroyed;
    expect(await taker.tell('execute', { ...wanted, code: 'print(kept)' })).toMatchObject({
      stdout: '42\n',
    });
    await taker.tell('destroy', wanted);
  });

  it('was taken over during a program, whose calls the host before no longer makes [kubernetes/takeover]', async () => {
    const host = await hostOfTest();
    const wanted = { key: randomUUID(), persistent: true, waitMs: WAIT_MS };
    await host.tell('acquire', wanted);
    // Not awaited: the host stops at the first call, and cannot read the second one.
    const running = host.tell('execute', { ...wanted, code: TWO_CALLS });
    expect(await taker.tell('acquire', wanted)).toEqual({ isNew: false, resumed: 'interrupted' });
    host.kill('SIGCONT');
    expect(await running).toMatchObject({ status: expect.not.stringMatching('ok') });
    expect(await host.tell('calls', wanted)).toEqual([1]);
    expect(await taker.tell('execute', { ...wanted, code: 'print(1)' })).toMatchObject({
      stdout: '1\n',
    });
    await taker.tell('destroy', wanted);
  });

  it('goes to one of four hosts that want it at once, with what the one before has left', async () => {
    const key = randomUUID();
    const wanted = { key, persistent: true, waitMs: WAIT_MS };
    const urls = ['http://one', 'http://two', 'http://three'];
    const hosts = [taker, ...(await Promise.all(urls.map(hostOfTest)))];
    const add = 'total = globals().get("total", 0) + 1\nprint(total)';
    const printed = await Promise.all(
      hosts.map(async (host) => {
        await host.tell('acquire', wanted);
        const { stdout } = (await host.tell('execute', { ...wanted, code: add })) as {
          readonly stdout: string;
        };
        await host.tell('release', wanted);
        return Number(stdout);
      }),
    );
    expect(printed.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    expect(await podsOf(key)).toHaveLength(1);
    await taker.tell('acquire', wanted);
    await taker.tell('destroy', wanted);
  });
});
