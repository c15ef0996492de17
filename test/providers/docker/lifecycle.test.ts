import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { containersOf, SandboxClient, sessionOf, specOf, watchRemoval } from './support.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function open(name: string): Promise<SandboxClient> {
  const client = new SandboxClient(await dockerProvider().create(specOf(name)));
  onTestFinished(() => client.sandbox.close());
  await client.next();
  return client;
}

describeWithEngine('a sandbox', (docker) => {
  test('is closed at once while its program floods the host with output', async () => {
    const client = await open('flood');
    client.start('while True: print("x" * 100_000)');
    await client.next();
    const begin = performance.now();
    await client.sandbox.close();
    expect(performance.now() - begin).toBeLessThan(3000);
    expect(await containersOf(docker, 'flood')).toEqual([]);
  });

  test('that somebody kills is told as lost, with the status that it ended with', async () => {
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

  test('that is paused can still be closed', async () => {
    const client = await open('paused');
    await docker.getContainer(client.sandbox.id).pause();
    await client.sandbox.close();
    expect(await containersOf(docker, 'paused')).toEqual([]);
  });

  test('whose runner ends in good order is told as ended without an error', async () => {
    const client = await open('exit');
    client.sandbox.transport.send({ kind: 'exit' });
    await expect(client.closed).resolves.toBeUndefined();
  });

  test('does not outlive its host, though its program ignores signals and never ends', async () => {
    const loader = here('../../support/typescript-loader.mjs');
    const removal = await watchRemoval(docker, 'abandoned');
    const host = spawn(
      process.execPath,
      ['--import', loader, here('abandon-sandbox.ts'), sessionOf('abandoned')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void host.kill('SIGKILL'));
    await once(host.stdout, 'data');
    expect(await containersOf(docker, 'abandoned')).toHaveLength(1);
    host.kill('SIGKILL');
    await removal.done;
    expect(await containersOf(docker, 'abandoned')).toEqual([]);
  });
});

describeWithEngine('an engine', (docker) => {
  test('that goes away is told by the sandboxes on it, which can be closed all the same', async () => {
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

  test('that answers nothing is unavailable after three seconds', async () => {
    const relay = await Relay.open(docker);
    relay.mute();
    await expect(dockerProvider({ host: relay.host }).probe()).resolves.toMatchObject({
      usable: false,
      reason: expect.stringContaining('did not answer within 3000 ms'),
    });
  });
});

/** A way to the engine that can be broken. */
class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #host = '';
  #muted = false;

  static async open(docker: Docker, kind: 'unix' | 'tcp' = 'unix'): Promise<Relay> {
    const directory = await mkdtemp(join(tmpdir(), 'relay-'));
    const relay = new Relay(socketPathOf(docker));
    onTestFinished(async () => {
      relay.cut();
      await rm(directory, { recursive: true });
    });
    await relay.#listen(kind === 'unix' ? join(directory, 'engine.sock') : undefined);
    return relay;
  }

  private constructor(enginePath: string) {
    this.#server = createServer((client) => {
      const engine = connect(enginePath);
      for (const socket of [client, engine]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
      if (!this.#muted) client.pipe(engine);
      engine.pipe(client);
    });
  }

  get host(): string {
    return this.#host;
  }

  /** Takes what comes and answers nothing from now on. */
  mute(): void {
    this.#muted = true;
  }

  cut(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(path: string | undefined): Promise<void> {
    if (path === undefined) this.#server.listen(0, '127.0.0.1');
    else this.#server.listen(path);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#host =
      typeof address === 'object' && address !== null
        ? `tcp://127.0.0.1:${address.port}`
        : `unix://${path}`;
  }
}

function socketPathOf({ modem }: { readonly modem: object }): string {
  if ('socketPath' in modem && typeof modem.socketPath === 'string') return modem.socketPath;
  throw new Error('These tests need an engine that listens on a local socket.');
}
