import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startFakeEngine } from '../../support/fake-engine.ts';
import { containersOf, SandboxClient, specOf } from './support.ts';

describeWithEngine('the Docker provider', (docker) => {
  const provider = dockerProvider();

  test('says which engine it found', async () => {
    const { Version } = await docker.version();
    await expect(provider.probe()).resolves.toEqual({
      usable: true,
      description: expect.stringContaining(Version),
    });
  });

  test('starts a runner that runs programs and keeps their state', async () => {
    const client = new SandboxClient(await provider.create(specOf('state')));
    onTestFinished(() => client.sandbox.close());
    await expect(client.next()).resolves.toMatchObject({ kind: 'ready', language: 'python' });
    await client.run('greeting = "grüß dich"');
    await expect(client.run('print(greeting)')).resolves.toMatchObject({
      output: 'grüß dich\n',
      outcome: { success: true, exit_code: 0 },
    });
  });

  test('leaves no container after a sandbox was closed, once or more often [case 97, docker/traces]', async () => {
    const sandbox = await provider.create(specOf('closed'));
    expect(await containersOf(docker, 'closed')).toEqual([sandbox.id]);
    await Promise.all([sandbox.close(), sandbox.close()]);
    expect(await containersOf(docker, 'closed')).toEqual([]);
    await sandbox.close();
  });

  test('leaves no container after a caller aborted the start', async () => {
    const caller = new AbortController();
    const created = provider.create(specOf('aborted'), { signal: caller.signal });
    caller.abort();
    await expect(created).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await containersOf(docker, 'aborted')).toEqual([]);
  });

  test('gives each of its sandboxes a user of its own [case 46, docker/user]', async () => {
    const clients = await Promise.all(
      ['user-1', 'user-2'].map(async (id) => new SandboxClient(await provider.create(specOf(id)))),
    );
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.sandbox.close()));
    });
    const users = await Promise.all(
      clients.map(async (client) => {
        await client.next();
        return client.evaluate('import os; print(os.getuid())');
      }),
    );
    expect(users[0]).not.toBe(users[1]);
  });

  test('starts no more sandboxes after it was closed', async () => {
    const closing = dockerProvider();
    await closing.close();
    await expect(closing.create(specOf('late'))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('leaves no sandbox that starts while it closes', async () => {
    const closing = dockerProvider();
    const first = await closing.create(specOf('first'));
    await first.close();
    const late = closing.create(specOf('late'));
    await Promise.all([closing.close?.(), expect(late).rejects.toMatchObject({ code: 'CLOSED' })]);
    expect(await containersOf(docker, 'late')).toEqual([]);
  });

  test('starts no sandbox on a runtime that the engine does not know [case 97]', async () => {
    const created = dockerProvider({ runtime: 'no-such-runtime' }).create(specOf('runtime'));
    await expect(created).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringMatching(/runtime/),
    });
    expect(await containersOf(docker, 'runtime')).toEqual([]);
  });
});

test.each(['probe', 'prepare', 'findSandboxes', 'removeOrphans'] as const)(
  '%s ends when its signal fires, though the engine does not answer',
  async (name) => {
    const engine = createServer(() => {}).listen(0, '127.0.0.1');
    await once(engine, 'listening');
    const { port } = engine.address() as AddressInfo;
    const provider = dockerProvider({ host: `tcp://127.0.0.1:${port}` });
    onTestFinished(async () => {
      engine.close().closeAllConnections();
      await provider.close();
    });
    const caller = new AbortController();
    const asked = once(engine, 'request');
    const called = provider[name]?.({ signal: caller.signal });
    await asked;
    caller.abort();
    await expect(called).rejects.toMatchObject({ code: 'ABORTED' });
  },
);

test.each(['prepare', 'attach'] as const)(
  '%s ends when the provider is closed, though the engine does not answer',
  async (name) => {
    const engine = createServer(() => {}).listen(0, '127.0.0.1');
    await once(engine, 'listening');
    onTestFinished(() => engine.close().closeAllConnections());
    const { port } = engine.address() as AddressInfo;
    const provider = dockerProvider({ host: `tcp://127.0.0.1:${port}` });
    const asked = once(engine, 'request');
    const called = name === 'attach' ? provider.attach?.('session') : provider.prepare?.();
    await Promise.all([
      expect(called).rejects.toMatchObject({ code: 'CLOSED' }),
      asked.then(async () => provider.close()),
    ]);
  },
);

test.each(['/containers/json', '/containers/1/attach'])(
  'attach ends when the provider is closed, though the engine does not answer %s',
  async (silent) => {
    // No deadline passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = createDeferred<void>();
    const special = ({ url = '' }: IncomingMessage, response: ServerResponse): boolean => {
      if (url.startsWith(silent)) asked.resolve();
      else if (url.startsWith('/containers/json')) {
        response.setHeader('content-type', 'application/json');
        response.end('[{"Id":"1","Names":[],"State":"running"}]');
      } else return url.startsWith('/containers/1/wait');
      return true;
    };
    const engine = await startFakeEngine({ special });
    onTestFinished(async () => engine[Symbol.asyncDispose]());
    const provider = dockerProvider({ host: engine.host });
    const failure = provider.attach?.('session').catch((error: unknown) => error);
    await asked.promise;
    await provider.close();
    expect(await failure).toMatchObject({ code: 'CLOSED' });
  },
);

test('without an engine, it says what was tried and what to do', async () => {
  const provider = dockerProvider({ host: 'unix:///nowhere/engine.sock' });
  await expect(provider.create(specOf('nowhere'))).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(/nowhere\/engine\.sock.*ENOENT/s),
  });
  await expect(provider.probe()).resolves.toEqual({
    usable: false,
    reason: expect.stringContaining('ENOENT'),
    remedy: expect.stringContaining('DOCKER_HOST'),
  });
});
