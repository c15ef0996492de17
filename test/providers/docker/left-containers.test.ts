import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startContainer } from '../../../src/providers/docker/container/container.ts';
import { containerConfig } from '../../../src/providers/docker/container/container-config.ts';
import { LeftContainers } from '../../../src/providers/docker/container/left-containers.ts';
import { runCommand } from '../../../src/providers/docker/container/run-command.ts';
import { CALL_DEADLINE_MS } from '../../../src/providers/docker/engine/deadline.ts';
import { specOf } from './support.ts';

const config = containerConfig(specOf('left'), {
  image: 'sandbox:1',
  command: ['python3', '-c', 'pass'],
  engine: 'docker',
  seccomp: '{}',
  user: '20007:20007',
  owner: 'host/1/a',
  name: 'sandbox-left',
  runtime: undefined,
});

/** An engine with one container at most, which it has when the test says so, and which never starts. */
class Engine {
  readonly docker: Docker;
  hasContainer = false;
  /** How often it was asked to end a container that it does not have. */
  refusals = 0;
  /** Settles when it is asked to create the container. The test answers. */
  readonly asked: Promise<ServerResponse>;
  readonly #server = createServer();

  static async open(): Promise<Engine> {
    const engine = new Engine();
    engine.#server.listen(0, '127.0.0.1');
    await once(engine.#server, 'listening');
    const { port } = engine.#server.address() as AddressInfo;
    Object.assign(engine.docker.modem, { port });
    return engine;
  }

  private constructor() {
    this.docker = new Docker({ protocol: 'http', host: '127.0.0.1' });
    this.asked = once(this.#server, 'asked').then(([response]) => response);
    this.#server.on('request', ({ method, url = '' }, response) => {
      response.setHeader('content-type', 'application/json');
      if (url.startsWith('/containers/create')) this.#server.emit('asked', response);
      else if (!this.hasContainer) this.#refuse(response);
      // It cannot be killed, because it was not started.
      else if (method !== 'DELETE') response.writeHead(409).end('{"message":"not running"}');
      else this.#remove(response);
    });
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
  }

  /** Settles when the container is removed. */
  async removal(): Promise<unknown> {
    return once(this.#server, 'removed');
  }

  #refuse(response: ServerResponse): void {
    this.refusals += 1;
    response.writeHead(404).end('{"message":"no such container"}');
  }

  #remove(response: ServerResponse): void {
    this.hasContainer = false;
    response.writeHead(204).end();
    this.#server.emit('removed');
  }
}

type Use = (docker: Docker, left: LeftContainers) => Promise<unknown>;

const ABOUT = { engine: 'docker', imageName: 'sandbox:1' } as const;

const USES: readonly (readonly [string, Use])[] = [
  ['a sandbox', async (docker, left) => startContainer(docker, config, { ...ABOUT, left })],
  [
    'a command',
    async (docker, left) => runCommand(docker, config, { ...ABOUT, outputBytes: 1, left }),
  ],
];

describe.each(USES)('a container of %s', (_, use) => {
  test('that the engine creates after the deadline is removed as soon as it exists', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const engine = await Engine.open();
    const failure = use(engine.docker, new LeftContainers()).catch((error: unknown) => error);
    const answer = await engine.asked;
    await vi.advanceTimersByTimeAsync(CALL_DEADLINE_MS);
    expect(await failure).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(engine.refusals).toBeGreaterThan(0);
    const removal = engine.removal();
    engine.hasContainer = true;
    answer.writeHead(201).end('{"Id":"late"}');
    await removal;
  });

  test('that the engine creates after its connection broke is removed by the next attempt', async () => {
    const engine = await Engine.open();
    const left = new LeftContainers();
    const failure = use(engine.docker, left).catch((error: unknown) => error);
    (await engine.asked).destroy();
    expect(await failure).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await left.remove();
    engine.hasContainer = true;
    await left.remove();
    expect(engine.hasContainer).toBe(false);
  });

  test('that the engine refused to create is not looked for again', async () => {
    const engine = await Engine.open();
    const left = new LeftContainers();
    const failure = use(engine.docker, left).catch((error: unknown) => error);
    (await engine.asked).writeHead(500).end('{"message":"no space left"}');
    expect(await failure).toMatchObject({ code: 'SANDBOX_START_FAILED' });
    const { refusals } = engine;
    await left.remove();
    expect(engine.refusals).toBe(refusals);
  });
});

test('a container whose connection broke is given up when the engine has long answered that it has none', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const engine = await Engine.open();
  const left = new LeftContainers();
  const broken = Promise.reject(new Error('socket hang up'));
  left.addUnanswered(engine.docker.getContainer('sandbox-left'), broken);
  await left.remove();
  vi.advanceTimersByTime(CALL_DEADLINE_MS);
  await left.remove();
  const { refusals } = engine;
  await left.remove();
  expect(engine.refusals).toBe(refusals);
});
