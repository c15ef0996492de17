import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { openAttachStream } from '../../../src/providers/docker/container/attach-request.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import type { Sandbox, SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { Relay } from './relay.ts';
import { containersOf, pause, SandboxClient, sessionOf, specOf, watchRemoval } from './support.ts';
import { sweepAlone } from './sweep-lock.ts';

const HOST = new URL('./persistent-host.ts', import.meta.url);
const LONG_MS = 60_000;

/** Has a host run a program in a persistent sandbox, and kills it when it got a message of this kind. */
async function leave(
  name: string,
  { code, kind, idleLimitMs = LONG_MS }: { code: string; kind: string; idleLimitMs?: number },
): Promise<void> {
  const host = startTypeScript(HOST, sessionOf(name), String(idleLimitMs), code);
  onTestFinished(() => void host.kill('SIGKILL'));
  let said = '';
  for await (const chunk of host.stdout) {
    said += String(chunk);
    if (said.split('\n').includes(kind)) break;
  }
  host.kill('SIGKILL');
  if (host.exitCode === null && host.signalCode === null) await once(host, 'exit');
}

function provide(host?: string): SandboxProvider {
  const provider = dockerProvider(host === undefined ? {} : { host });
  onTestFinished(() => provider.close());
  return provider;
}

async function attach(name: string, provider = provide()): Promise<SandboxClient | undefined> {
  const sandbox = await provider.attach?.(sessionOf(name));
  if (sandbox === undefined) return undefined;
  onTestFinished(() => sandbox.close());
  return new SandboxClient(sandbox);
}

async function create(
  name: string,
  { provider = provide(), idleLimitMs = LONG_MS } = {},
): Promise<Sandbox> {
  const sandbox = await provider.create({ ...specOf(name), persistent: { idleLimitMs } });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Tells the runner that a host came, and gives its answer. */
async function greet(client: SandboxClient | undefined): Promise<unknown> {
  client?.sandbox.transport.send({ kind: 'attach', attach_id: 'test', idle_limit_ms: LONG_MS });
  return client?.next();
}

describeWithEngine('a persistent sandbox', (docker) => {
  test('outlives its host, a sweep too, and is taken over with its variables [docker/persistent]', async () => {
    await sweepAlone();
    await leave('heir', { code: 'kept = 42', kind: 'outcome' });
    const provider = provide();
    await provider.removeOrphans?.();
    const found = await provider.findSandboxes?.();
    expect(found?.find(({ sessionId }) => sessionId === sessionOf('heir'))).toMatchObject({
      state: 'running',
      verdict: 'persistent',
    });
    const client = await attach('heir', provider);
    expect([client?.sandbox.id]).toEqual(await containersOf(docker, 'heir'));
    expect(await greet(client)).toMatchObject({
      kind: 'attached',
      executions: 1,
      interrupted: false,
    });
    await expect(client?.evaluate('print(kept)')).resolves.toBe(42);
    await client?.sandbox.close();
    expect(await containersOf(docker, 'heir')).toEqual([]);
  });

  test('continues to print without a host, and ends by itself after its idle time [docker/idle-time]', async () => {
    const removal = await watchRemoval(docker, 'unheard');
    const code = 'import time\nfor _ in range(100): print("x" * 100_000); time.sleep(0.01)';
    await leave('unheard', { code, kind: 'output-delta', idleLimitMs: 300 });
    // Its idle time begins only when it has printed all of its 10 MB.
    await removal.done;
    expect(await containersOf(docker, 'unheard')).toEqual([]);
  });

  test('ends by itself though its host died before it had anything to do [docker/idle-time]', async () => {
    const removal = await watchRemoval(docker, 'unused');
    await leave('unused', { code: '', kind: 'ready', idleLimitMs: 300 });
    await removal.done;
    expect(await containersOf(docker, 'unused')).toEqual([]);
  });

  test('stops a program that exceeds its limit without a host, and ends after its idle time [host/killed-host]', async () => {
    const removal = await watchRemoval(docker, 'endless');
    const code = 'print(1)\nwhile True: pass';
    await leave('endless', { code, kind: 'output-delta', idleLimitMs: 300 });
    await removal.done;
    expect(await containersOf(docker, 'endless')).toEqual([]);
  });

  test('can be detached and taken over in one process', async () => {
    const first = new SandboxClient(await create('released'));
    await first.run('kept = 7');
    await first.sandbox.detach?.();
    await expect(first.closed).resolves.toBeUndefined();
    const second = await attach('released');
    expect(await greet(second)).toMatchObject({ kind: 'attached', executions: 1 });
    await expect(second?.evaluate('print(kept)')).resolves.toBe(7);
  });

  test.each([
    ['a line', '__PTC_EXECUTE__{"execution_id": "ru'],
    ['a piece of a file', '__PTC_DATA__262144\n'],
  ])('is taken over from a host that died in the middle of %s', async (_, begun) => {
    const sandbox = await create('half-line');
    await new SandboxClient(sandbox).next();
    await sandbox.detach?.();
    const broken = await openAttachStream(docker, sandbox.id);
    broken.end(begun);
    await once(broken, 'finish');
    broken.destroy();
    const client = await attach('half-line');
    client?.sandbox.transport.send({ kind: 'attach', attach_id: 'test', idle_limit_ms: LONG_MS });
    await expect(client?.next()).resolves.toMatchObject({ kind: 'attached', executions: 0 });
  });

  test('that is paused is refused by its name, outlives a sweep, and is taken over when it goes on', async () => {
    await sweepAlone();
    await leave('frozen', { code: 'kept = 42', kind: 'outcome' });
    const [id = ''] = await containersOf(docker, 'frozen');
    const container = docker.getContainer(id);
    await pause(container);
    const provider = provide();
    await provider.removeOrphans?.();
    const name = (await container.inspect()).Name.slice(1);
    await expect(attach('frozen', provider)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(`the container ${name}, which is paused. Unpause it`),
      details: { sessionId: sessionOf('frozen'), sandboxId: id },
    });
    await container.unpause();
    const client = await attach('frozen', provider);
    expect(client?.sandbox.id).toBe(id);
    await greet(client);
    await expect(client?.evaluate('print(kept)')).resolves.toBe(42);
  });

  test('to which the engine cannot connect is reported as existing, and stays', async () => {
    await create('unreachable');
    const relay = await Relay.open(docker);
    const provider = provide(relay.host);
    await provider.findSandboxes?.();
    const request = relay.holdBack(/^POST \S*\/attach\b/);
    const attached = provider.attach?.(sessionOf('unreachable'));
    const cut = request.then(() => relay.cut());
    await expect(attached).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: expect.stringContaining('runs, but the engine could not connect to it'),
    });
    await cut;
    expect(await containersOf(docker, 'unreachable')).toHaveLength(1);
  });

  test('that was closed while the engine did not answer is never taken over, and is removed', async () => {
    const relay = await Relay.open(docker);
    const provider = provide(relay.host);
    const client = new SandboxClient(await create('closed-unheard', { provider }));
    await client.run('kept = 1');
    relay.freeze();
    await client.sandbox.close();
    relay.drop();
    relay.thaw();
    expect(await containersOf(docker, 'closed-unheard')).toEqual([client.sandbox.id]);
    expect(await attach('closed-unheard', provider)).toBeUndefined();
    expect(await containersOf(docker, 'closed-unheard')).toEqual([]);
  });

  test('that was closed while the engine could not kill it ends by itself at once', async () => {
    const relay = await Relay.open(docker);
    const provider = provide(relay.host);
    // Its idle time would not end within the time that a test has.
    const idleLimitMs = 3_600_000;
    const client = new SandboxClient(await create('unkillable', { provider, idleLimitMs }));
    await client.run('kept = 1');
    const removal = await watchRemoval(docker, 'unkillable');
    const kill = relay.holdBack(/^(?:POST \S*\/kill\b|DELETE )/);
    await Promise.all([client.sandbox.close(), kill]);
    await removal.done;
    expect(await containersOf(docker, 'unkillable')).toEqual([]);
  });

  test('is not found if there is none, or if it is not persistent', async () => {
    expect(await attach('nobody')).toBeUndefined();
    const sandbox = await provide().create(specOf('ordinary'));
    onTestFinished(() => sandbox.close());
    expect(await attach('ordinary')).toBeUndefined();
    expect(await containersOf(docker, 'ordinary')).toEqual([sandbox.id]);
  });
});

describeWithEngine('the memory of a sandbox', (docker) => {
  test('is reported while its program runs, and not for a sandbox that is gone', async () => {
    const client = new SandboxClient(await provide().create(specOf('memory')));
    onTestFinished(() => client.sandbox.close());
    await client.next();
    const before = await client.sandbox.memoryUsage?.();
    expect(before).toBeGreaterThan(1_000_000);
    client.start('held = bytearray(b"x") * 50_000_000\nprint(1)\nwhile True: pass');
    await client.next();
    const grown = ((await client.sandbox.memoryUsage?.()) ?? 0) - (before ?? 0);
    expect(grown).toBeGreaterThan(45_000_000);
    expect(grown).toBeLessThan(80_000_000);
    await client.sandbox.close();
    expect(await client.sandbox.memoryUsage?.()).toBeUndefined();
    expect(await containersOf(docker, 'memory')).toEqual([]);
  });
});
