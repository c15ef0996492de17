import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { Relay } from './relay.ts';
import { containersOf, pause, SandboxClient, sessionOf, specOf, watchRemoval } from './support.ts';

const HOST = new URL('./sandbox-host.ts', import.meta.url);

async function open(name: string): Promise<SandboxClient> {
  const client = new SandboxClient(await dockerProvider().create(specOf(name)));
  onTestFinished(() => client.sandbox.close());
  await client.next();
  return client;
}

describeWithEngine('a sandbox', (docker) => {
  test('is closed while its program floods the host with output [case 96, every/closed-session, host/cut-first]', async () => {
    const client = await open('flood');
    client.start('while True: print("x" * 100_000)');
    await client.next();
    await client.sandbox.close();
    expect(await containersOf(docker, 'flood')).toEqual([]);
  });

  test('that was killed is reported as lost, with its exit status [case 95]', async () => {
    const client = await open('killed');
    client.start('while True: pass');
    await docker.getContainer(client.sandbox.id).kill();
    await expect(client.closed).resolves.toMatchObject({
      code: 'SANDBOX_LOST',
      details: { status: 137 },
    });
    await client.sandbox.close();
    expect(await containersOf(docker, 'killed')).toEqual([]);
  });

  test('that is paused can still be closed [case 45, every/closed-session]', async () => {
    const client = await open('paused');
    await pause(docker.getContainer(client.sandbox.id));
    await client.sandbox.close();
    expect(await containersOf(docker, 'paused')).toEqual([]);
  });

  test('whose runner ends normally is reported as ended without an error', async () => {
    const client = await open('exit');
    client.sandbox.transport.send({ kind: 'exit' });
    await expect(client.closed).resolves.toBeUndefined();
  });

  test('does not outlive its host, though its program ignores signals and never ends [case 44, case 91, docker/dead-host]', async () => {
    const removal = await watchRemoval(docker, 'abandoned');
    const host = startTypeScript(HOST, sessionOf('abandoned'));
    onTestFinished(() => void host.kill('SIGKILL'));
    await once(host.stdout, 'data');
    expect(await containersOf(docker, 'abandoned')).toHaveLength(1);
    host.kill('SIGKILL');
    await removal.done;
    expect(await containersOf(docker, 'abandoned')).toEqual([]);
  });
});

/** Makes the engine stuck after it created a container, and before it started it. */
async function failToStart(
  relay: Relay,
  provider: SandboxProvider,
  name: string,
): Promise<unknown> {
  const attached = relay.holdBack(/^POST \S*\/attach\b/);
  const start = provider.create(specOf(name)).catch((error: unknown) => error);
  await attached;
  relay.freeze();
  relay.drop();
  return start;
}

describeWithEngine('an engine', (docker) => {
  test('that goes away is reported by its sandboxes, which can still be closed [case 94]', async () => {
    const relay = await Relay.open(docker);
    const provider = dockerProvider({ host: relay.host });
    const client = new SandboxClient(await provider.create(specOf('engine-gone')));
    await client.next();
    const removal = await watchRemoval(docker, 'engine-gone');
    relay.cut();
    await expect(client.closed).resolves.toMatchObject({ code: 'SANDBOX_LOST' });
    await client.sandbox.close();
    await expect(provider.create(specOf('engine-gone'))).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    // Without its input, the runner ended by itself.
    await removal.done;
  });

  test('that is stuck keeps no sandbox from being closed, nor the process alive [case 94, host/silent-engine]', async () => {
    const relay = await Relay.open(docker);
    const removal = await watchRemoval(docker, 'stuck');
    const host = startTypeScript(HOST, sessionOf('stuck'), relay.host);
    onTestFinished(() => void host.kill('SIGKILL'));
    await once(host.stdout, 'data');
    relay.freeze();
    host.kill('SIGUSR2');
    const [said] = await once(host.stdout, 'data');
    expect(String(said)).toBe('closed\n');
    // No timer, socket or listener keeps it.
    await once(host, 'exit');
    expect(host.exitCode).toBe(0);
    expect(await containersOf(docker, 'stuck')).toHaveLength(1);
    relay.thaw();
    await removal.done;
    expect(await containersOf(docker, 'stuck')).toEqual([]);
  });

  test('that is stuck while a sandbox starts keeps no container, once it answers [host/silent-engine]', async () => {
    const relay = await Relay.open(docker);
    const provider = dockerProvider({ host: relay.host });
    const failed = await failToStart(relay, provider, 'stuck-start');
    expect(await containersOf(docker, 'stuck-start')).toHaveLength(1);
    relay.thaw();
    const removal = await watchRemoval(docker, 'stuck-start');
    const next = await provider.create(specOf('next-start'));
    await removal.done;
    expect(await containersOf(docker, 'stuck-start')).toEqual([]);
    expect(failed).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await next.close();
    await provider.close();
  });

  test('that is stuck while a sandbox starts keeps no container after the provider is closed [host/silent-engine]', async () => {
    const relay = await Relay.open(docker);
    const provider = dockerProvider({ host: relay.host });
    await failToStart(relay, provider, 'stuck-close');
    relay.thaw();
    await provider.close();
    expect(await containersOf(docker, 'stuck-close')).toEqual([]);
  });

  test('is reached over TCP too, and only the one that was chosen', async () => {
    const relay = await Relay.open(docker, 'tcp');
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const provider = dockerProvider({ host: relay.host });
    const client = new SandboxClient(await provider.create(specOf('tcp')));
    onTestFinished(() => client.sandbox.close());
    await client.next();
    await expect(client.evaluate('print(6 * 7)')).resolves.toBe(42);
  });

  test('that answers nothing is unavailable after fifteen seconds [case 94]', async () => {
    const relay = await Relay.open(docker);
    relay.freeze();
    await expect(dockerProvider({ host: relay.host }).probe()).resolves.toMatchObject({
      usable: false,
      reason: expect.stringContaining('did not answer within 15000 ms'),
    });
  });
});
