import { once } from 'node:events';
import type Docker from 'dockerode';
import { expect, onTestFinished, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { decodeOwner } from '../../../src/sandbox/ownership/owner.ts';
import { thisMachine } from '../../../src/sandbox/ownership/ownership.ts';
import type { FoundSandbox, SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startTypeScript } from '../../support/typescript-process.ts';
import { Relay } from './relay.ts';
import { containersOf, pause, SandboxClient, sessionOf, specOf } from './support.ts';
import { sweepAlone } from './sweep-lock.ts';

const HOST = new URL('./sandbox-host.ts', import.meta.url);

type Host = ReturnType<typeof startTypeScript>;

function startHost(name: string, ...engine: readonly string[]): Host {
  const host = startTypeScript(HOST, sessionOf(name), ...engine);
  onTestFinished(() => void host.kill('SIGKILL'));
  return host;
}

async function kill(host: Host): Promise<void> {
  host.kill('SIGKILL');
  await once(host, 'exit');
}

function provide(): SandboxProvider {
  const provider = dockerProvider();
  onTestFinished(() => provider.close());
  return provider;
}

/** Of what a provider found, the sandbox of a test. */
function one(found: readonly FoundSandbox[] | undefined, name: string): FoundSandbox | undefined {
  return found?.find(({ sessionId }) => sessionId === sessionOf(name));
}

async function sweep(): Promise<readonly FoundSandbox[] | undefined> {
  return provide().removeOrphans?.();
}

async function stateOf(docker: Docker, id: string): Promise<string> {
  return (await docker.getContainer(id).inspect()).State.Status;
}

describeWithEngine('a sweep', (docker) => {
  test('removes a sandbox that does not react to the death of its host [case 91, docker/owner, docker/label, docker/orphans]', async () => {
    await sweepAlone();
    const host = startHost('unheeding');
    await once(host.stdout, 'data');
    const [id = ''] = await containersOf(docker, 'unheeding');
    const { Config } = await docker.getContainer(id).inspect();
    expect(decodeOwner(Config.Labels['sandboxed-ptc.owner'])).toMatchObject({
      machine: await thisMachine(),
      processId: host.pid,
    });
    // Stopped, it cannot heed the end of its input.
    await docker.getContainer(id).kill({ signal: 'SIGSTOP' });
    await kill(host);
    expect(await stateOf(docker, id)).toBe('running');
    expect(one(await sweep(), 'unheeding')).toMatchObject({
      id,
      owner: { processId: host.pid },
      state: 'running',
      verdict: 'orphan',
    });
    expect(await containersOf(docker, 'unheeding')).toEqual([]);
    expect(one(await sweep(), 'unheeding')).toBeUndefined();
  });

  test('removes a sandbox whose host was killed before it started it [case 93, docker/orphans]', async () => {
    await sweepAlone();
    const relay = await Relay.open(docker);
    const starts = relay.holdBack(/^POST \S*\/start\b/);
    const host = startHost('unstarted', relay.host);
    await starts;
    await kill(host);
    const [id = ''] = await containersOf(docker, 'unstarted');
    expect(await stateOf(docker, id)).toBe('created');
    expect(one(await sweep(), 'unstarted')).toMatchObject({ id, state: 'created' });
    expect(await containersOf(docker, 'unstarted')).toEqual([]);
  });

  test('touches no sandbox of a live host, be it running, paused or not started yet [case 98, docker/orphans]', async () => {
    await sweepAlone();
    const relay = await Relay.open(docker);
    const starts = relay.holdBack(/^POST \S*\/start\b/);
    const [running, paused] = [startHost('peer-running'), startHost('peer-paused')];
    startHost('peer-unstarted', relay.host);
    await Promise.all([once(running.stdout, 'data'), once(paused.stdout, 'data'), starts]);
    const [pausedId = ''] = await containersOf(docker, 'peer-paused');
    await pause(docker.getContainer(pausedId));
    await sweep();
    const found = await provide().findSandboxes?.();
    expect(one(found, 'peer-running')).toMatchObject({ state: 'running', verdict: 'live' });
    expect(one(found, 'peer-paused')).toMatchObject({ state: 'paused', verdict: 'live' });
    expect(one(found, 'peer-unstarted')).toMatchObject({ state: 'created', verdict: 'live' });
    await docker.getContainer(pausedId).remove({ force: true });
    for (const id of await containersOf(docker, 'peer-unstarted')) {
      await docker.getContainer(id).remove({ force: true });
    }
  });

  test('removes nothing of its own provider, however many are created meanwhile', async () => {
    await sweepAlone();
    const provider = provide();
    const names = ['own-1', 'own-2', 'own-3', 'own-4'];
    const sandboxes = await Promise.all(
      names.map(async (name) => {
        const [sandbox] = await Promise.all([
          provider.create(specOf(name)),
          provider.removeOrphans?.(),
        ]);
        return sandbox;
      }),
    );
    await provider.removeOrphans?.();
    for (const sandbox of sandboxes) {
      const client = new SandboxClient(sandbox);
      await client.next();
      await expect(client.evaluate('print(6 * 7)')).resolves.toBe(42);
      await sandbox.close();
    }
  });

  test('removes no sandbox whose owner it cannot judge [case 98, docker/unknown-owner]', async () => {
    await sweepAlone();
    const sandbox = await provide().create(specOf('image'));
    const { Config } = await docker.getContainer(sandbox.id).inspect();
    await sandbox.close();
    const owners = { foreign: 'elsewhere/1/a', unreadable: 'somebody' };
    for (const [name, owner] of Object.entries(owners)) {
      const labels = { 'sandboxed-ptc.owner': owner, 'sandboxed-ptc.session': sessionOf(name) };
      const container = await docker.createContainer({ Image: Config.Image, Labels: labels });
      onTestFinished(() => container.remove({ force: true }));
    }
    await sweep();
    const found = await provide().findSandboxes?.();
    expect(one(found, 'foreign')).toMatchObject({ verdict: 'foreign', owner: { processId: 1 } });
    expect(one(found, 'unreadable')).toMatchObject({ verdict: 'foreign', owner: undefined });
  });
});

test('a sweep without an engine says what was tried', async () => {
  const provider = dockerProvider({ host: 'unix:///nowhere/engine.sock' });
  await expect(provider.removeOrphans?.()).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
});
