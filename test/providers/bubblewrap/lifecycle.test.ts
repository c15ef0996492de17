import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { readProcesses } from '../../../src/providers/bubblewrap/processes.ts';
import {
  describeWithBubblewrap,
  describeWithControlGroups,
  groupsOf,
  living,
  openProvider,
  processesOf,
} from '../../support/bubblewrap.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { SandboxClient, specOf } from '../docker/support.ts';
import { untilGone } from '../embedded/support.ts';

const HOST = new URL('./abandon-sandbox.ts', import.meta.url);

/** Says when it runs, starts two processes that never end, and never ends. */
const UNWILLING = `
import signal, subprocess
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
for _ in range(2): subprocess.Popen(["sleep", "1000"], start_new_session=True)
print("busy", flush=True)
while True: pass`;

/** Starts a process that abandons a sandbox, and gives the ids of all that it started. */
async function startHost(): Promise<{ host: ReturnType<typeof startTypeScript>; ids: number[] }> {
  const host = startTypeScript(HOST);
  onTestFinished(() => void host.kill('SIGKILL'));
  const [id] = await once(host.stdout, 'data');
  const launcher = Number(String(id));
  const { supervisor, others } = readProcesses(launcher);
  expect(others.length).toBeGreaterThanOrEqual(2);
  return { host, ids: [launcher, supervisor?.id ?? 0, ...others.map((each) => each.id)] };
}

async function untilAllGone(ids: readonly number[]): Promise<void> {
  await Promise.all(ids.map(async (id) => untilGone(String(id))));
}

describeWithBubblewrap('a bubblewrap sandbox', () => {
  test('runs a program', async () => {
    const client = await openProvider();
    expect(await client.evaluate('print(6 * 7)')).toBe(42);
    expect(await client.sandbox.memoryUsage?.()).toBeGreaterThan(1_000_000);
  });

  test('that is closed is gone with all of its processes, and may be closed again [every/closed-session]', async () => {
    const client = await openProvider();
    client.start(UNWILLING);
    await client.next();
    const ids = processesOf(client);
    expect(living(ids).length).toBeGreaterThanOrEqual(4);
    await client.sandbox.close();
    expect(living([Number(client.sandbox.id), ...ids])).toEqual([]);
    await client.sandbox.close();
    expect(await client.sandbox.memoryUsage?.()).toBeUndefined();
  });

  test('whose supervisor no longer reacts can still be closed', async () => {
    const client = await openProvider();
    const ids = processesOf(client);
    const [supervisor = 0] = ids;
    expect(supervisor).toBeGreaterThan(1);
    process.kill(supervisor, 'SIGSTOP');
    await client.sandbox.close();
    await untilAllGone([Number(client.sandbox.id), ...ids]);
  });

  test('is closed while its program floods the host with output', async () => {
    const client = await openProvider();
    client.start('while True: print("x" * 100_000)');
    await client.next();
    const ids = processesOf(client);
    await client.sandbox.close();
    expect(living([Number(client.sandbox.id), ...ids])).toEqual([]);
  });

  test('says when its runner has read what was sent', async () => {
    const client = await openProvider();
    const { transport } = client.sandbox;
    expect(transport.taken).toBeUndefined();
    client.start('#'.repeat(1_000_000));
    await expect(transport.taken).resolves.toBeUndefined();
    expect(await client.next()).toMatchObject({ kind: 'outcome', success: true });
    expect(transport.taken).toBeUndefined();
  });

  test('that was killed is reported as lost', async () => {
    const client = await openProvider();
    const ids = processesOf(client);
    process.kill(Number(client.sandbox.id), 'SIGKILL');
    await expect(client.closed).resolves.toMatchObject({ code: 'SANDBOX_LOST' });
    await untilAllGone(ids);
  });

  test('whose runner ends normally is reported as ended without an error', async () => {
    const client = await openProvider();
    client.sandbox.transport.send({ kind: 'exit' });
    await expect(client.closed).resolves.toBeUndefined();
  });

  test('does not outlive its host, though its program ignores signals and never ends [case 91, bubblewrap/spawner-orphaned]', async () => {
    const { host, ids } = await startHost();
    host.kill('SIGKILL');
    await untilAllGone(ids);
    expect(living(ids)).toEqual([]);
  });

  test('does not outlive its host, even if its supervisor cannot react [case 91, bubblewrap/input-ended]', async () => {
    const { host, ids } = await startHost();
    const [, supervisor = 0] = ids;
    expect(supervisor).toBeGreaterThan(1);
    process.kill(supervisor, 'SIGSTOP');
    host.kill('SIGKILL');
    await untilAllGone(ids);
    expect(living(ids)).toEqual([]);
  });

  test('leaves nothing behind, fifty times', async () => {
    const provider = bubblewrapProvider();
    const ids: number[] = [];
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    let before = 0;
    for (let round = 0; round < 50; round += 1) {
      const client = new SandboxClient(await provider.create(specOf('again')));
      await client.next();
      ids.push(Number(client.sandbox.id), ...processesOf(client));
      await client.sandbox.close();
      if (round === 0) before = descriptors();
    }
    await provider.close();
    expect(ids.length).toBeGreaterThanOrEqual(100);
    expect(living(ids)).toEqual([]);
    expect(groupsOf(process.pid)).toEqual([]);
    await expect.poll(descriptors).toBeLessThanOrEqual(before);
  });

  test('whose creation is aborted does not exist', async () => {
    const controller = new AbortController();
    const provider = bubblewrapProvider();
    const creation = provider.create(specOf('aborted'), { signal: controller.signal });
    controller.abort();
    await expect(creation).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('is not started by a provider that was closed', async () => {
    const provider = bubblewrapProvider();
    await provider.close();
    await expect(provider.create(specOf('closed'))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('is ended if it starts while its provider closes', async () => {
    const provider = bubblewrapProvider();
    const first = await provider.create(specOf('first'));
    await first.close();
    const late = provider.create(specOf('closed'));
    await Promise.all([provider.close?.(), expect(late).rejects.toMatchObject({ code: 'CLOSED' })]);
  });
});

describeWithControlGroups('the control group of a bubblewrap sandbox', () => {
  test('is there while it is, and gone when it ended by itself', async () => {
    const { sandbox } = await openProvider();
    const group = readFileSync(`/proc/${sandbox.id}/cgroup`, 'latin1');
    const [path = ''] = /sandboxed-ptc-\S+/.exec(group) ?? [];
    const isThere = (): boolean => groupsOf(process.pid).some((each) => each.endsWith(path));
    expect(path).not.toBe('');
    expect(isThere()).toBe(true);
    sandbox.transport.send({ kind: 'exit' });
    await expect.poll(isThere).toBe(false);
  });

  test('has all of its processes [bubblewrap/control-group]', async () => {
    const client = await openProvider();
    client.start(UNWILLING);
    await client.next();
    const groupOf = (id: number | string): string => readFileSync(`/proc/${id}/cgroup`, 'latin1');
    const ids = processesOf(client);
    expect(ids.length).toBeGreaterThanOrEqual(4);
    expect(new Set(ids.map(groupOf))).toEqual(new Set([groupOf(client.sandbox.id)]));
  });

  test('is removed by the next provider if its host was killed [bubblewrap/empty-group]', async () => {
    const { host, ids } = await startHost();
    host.kill('SIGKILL');
    await untilAllGone(ids);
    expect(groupsOf(host.pid)).not.toEqual([]);
    const provider = bubblewrapProvider();
    await expect
      .poll(async () => {
        await provider.probe();
        return groupsOf(host.pid);
      })
      .toEqual([]);
    await provider.close();
  });

  test('is ready for the next sandbox, and gone when the provider is closed', async () => {
    const provider = bubblewrapProvider();
    const client = new SandboxClient(await provider.create(specOf('ready')));
    await client.next();
    await client.evaluate('print(1)');
    await client.sandbox.close();
    await expect.poll(() => groupsOf(process.pid)).not.toEqual([]);
    await provider.close();
    expect(groupsOf(process.pid)).toEqual([]);
  });

  test('has the next sandbox of each kind, complete, and nothing runs in it yet', async () => {
    const provider = bubblewrapProvider();
    onTestFinished(async () => provider.close());
    const spec = specOf('ready');
    const specs = [spec, { ...spec, limits: { ...spec.limits, processes: 40 } }];
    for (const each of specs) {
      const client = new SandboxClient(await provider.create(each));
      await client.next();
      await client.evaluate('print(1)');
      await client.sandbox.close();
    }
    const ids = (): string[] =>
      groupsOf(process.pid).flatMap((group) =>
        readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').filter(Boolean),
      );
    const isSandbox = (id: string): boolean => {
      const root = readdirSync(`/proc/${id}/root`);
      return root.includes('usr') && !root.includes('home');
    };
    await expect.poll(() => new Set(ids().filter(isSandbox)).size).toBe(specs.length);
    const waiting = ids();
    for (const id of waiting) expect(readFileSync(`/proc/${id}/comm`, 'utf8')).toBe('bwrap\n');
    for (const each of specs) {
      const next = new SandboxClient(await provider.create(each));
      onTestFinished(async () => next.sandbox.close());
      expect(waiting).toContain(next.sandbox.id);
      await next.next();
      expect(await next.evaluate('print(6 * 7)')).toBe(42);
    }
  });

  test('is not left by a process that ends without closing the provider', async () => {
    const host = startTypeScript(new URL('./leave-provider.ts', import.meta.url));
    onTestFinished(() => void host.kill('SIGKILL'));
    let printed = '';
    host.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await once(host, 'close');
    expect([printed, host.exitCode]).toEqual(['42\n', 0]);
    expect(groupsOf(host.pid)).toEqual([]);
  });
});

describeWithBubblewrap('the bubblewrap provider', () => {
  test('ends the check when its signal fires', async () => {
    const provider = bubblewrapProvider();
    onTestFinished(() => provider.close());
    const caller = new AbortController();
    const checked = provider.probe({ signal: caller.signal });
    caller.abort();
    await expect(checked).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('starts a sandbox to check whether it works, and reports the versions', async () => {
    expect(await bubblewrapProvider().probe()).toEqual({
      usable: true,
      boundsMemory: expect.any(Boolean),
      description: expect.stringMatching(
        /^bubblewrap \d+\.\d+\.\d+ with Python 3\.\d+\.\d+, (?:limited by control groups of version [12] \(memory.*\)|memory measured by the host, processor time not limited: .+)$/,
      ),
    });
  });
});
