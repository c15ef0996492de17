import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findEngine, searchEngine } from '../../../src/providers/docker/engine/engine.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('a connection to the engine', (docker) => {
  // The client describes the agent for a log with each request, deep down, whether or not anyone reads it.
  test('takes no longer to format for a request if there are more connections', async () => {
    const { agent } = docker.modem as { agent?: { sockets: Record<string, unknown> } };
    if (agent === undefined) throw new Error('The client has no agent to describe.');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    onTestFinished(() => {
      delete agent.sockets['test'];
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    agent.sockets['test'] = sockets;
    const described = inspect({ agent }, { showHidden: true, depth: null });
    expect(described.length).toBeLessThan(200);
  });
});

/** What an engine says of itself. */
const VERSION = '{"Version":"1","Os":"linux"}';

/** Serves an engine's API over TCP, and keeps connections for as long as its clients do. */
async function serveEngine(answer: RequestListener): Promise<{ server: Server; host: string }> {
  const server = createHttpServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    answer(request, response);
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, host: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('an engine in use', () => {
  test('keeps no connections of a burst of calls, and does not cut a call that takes longer', async () => {
    const received = createDeferred<ServerResponse>();
    const { server, host } = await serveEngine((request, response) => {
      if (request.url?.includes('/containers/')) received.resolve(response);
      else response.end(VERSION);
    });
    const closed: Promise<unknown>[] = [];
    const engine = await findEngine(host);
    onTestFinished(() => engine.close());
    const slowCall = engine.docker.getContainer('slow').inspect();
    const response = await received.promise;
    server.on('connection', (connection: Socket) => closed.push(once(connection, 'close')));
    await Promise.all(Array.from({ length: 8 }, async () => engine.docker.version()));
    expect(closed.length).toBeGreaterThan(4);
    await Promise.all(closed);
    response.end('{"Id":"slow"}');
    await expect(slowCall).resolves.toMatchObject({ Id: 'slow' });
  });
});

describe('an environment for another engine', () => {
  test('does not limit how long an engine may take', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://192.0.2.1:2375');
    vi.stubEnv('DOCKER_CLIENT_TIMEOUT', '20');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { host } = await serveEngine((request, response) => {
      if (!request.url?.includes('/containers/')) response.end(VERSION);
      // Answers when its client has been silent for longer than that.
      else response.setTimeout(200, () => response.end('{"Id":"slow"}'));
    });
    const engine = await findEngine(host);
    onTestFinished(() => engine.close());
    const slow = engine.docker.getContainer('slow').inspect();
    await expect(slow).resolves.toMatchObject({ Id: 'slow' });
  });
});

describe('an engine that was closed', () => {
  test('keeps no connection of a call that ends after its close', async () => {
    const { server, host } = await serveEngine((_request, response) => response.end(VERSION));
    const engine = await findEngine(host);
    engine.close();
    const connected = once(server, 'connection') as Promise<[Socket]>;
    await engine.docker.version();
    const [connection] = await connected;
    if (!connection.closed) await once(connection, 'close');
    expect(connection.closed).toBe(true);
  });
});

describe('an engine whose socket this user has no permission to open', () => {
  test('is reported as such, with the group as the remedy, and not starting the engine', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'denied-engine-'));
    const path = join(directory, 'engine.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(async () => {
      server.close();
      await rm(directory, { recursive: true });
    });
    // Loads the client, of which another user may not be able to read the files.
    await searchEngine('tcp://127.0.0.1:1');
    await chmod(directory, 0o755);
    await chmod(path, 0o000);
    const search = await asOrdinaryUser(async () => searchEngine(`unix://${path}`));
    expect(search).toMatchObject({
      refusals: [expect.stringContaining('EACCES')],
      remedy: expect.stringMatching(
        /^This user has no permission to open \S+engine\.sock\. Add the user to the group/,
      ),
    });
  });

  test('is reported differently from one that does not exist', async () => {
    expect(await searchEngine('unix:///nowhere/engine.sock')).toMatchObject({
      remedy: expect.stringMatching(/^Start Docker or Podman/),
    });
  });
});

test('a Docker context that is missing is reported, and no other engine is tried', async () => {
  vi.stubEnv('DOCKER_HOST', '');
  vi.stubEnv('DOCKER_CONTEXT', 'build-server');
  vi.stubEnv('DOCKER_CONFIG', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(findEngine(undefined)).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
    message: expect.stringMatching(/DOCKER_CONTEXT names the Docker context "build-server", which/),
    details: { refusals: [] },
  });
});

test('an address without a port has the usual one of Docker', async () => {
  expect(await searchEngine('tcp://127.77.0.1')).toMatchObject({
    refusals: [expect.stringContaining('127.77.0.1:2375')],
  });
});

test('an address of SSH needs no user', async () => {
  expect(await searchEngine('ssh://127.77.0.1:1')).toMatchObject({
    refusals: [expect.stringContaining('connect ECONNREFUSED 127.77.0.1:1')],
  });
});

/** Root may open every socket. */
async function asOrdinaryUser<Value>(act: () => Promise<Value>): Promise<Value> {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
