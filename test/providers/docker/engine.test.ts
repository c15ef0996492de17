import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findEngine } from '../../../src/providers/docker/engine.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('a connection to the engine', (docker) => {
  // The client describes the agent for a log with each request, deep down, whether or not anyone reads it.
  test('takes no longer to describe for a request the more connections there are', async () => {
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

describe('an engine that nobody needs any more', () => {
  test('is left no connection by a call that ends after its close', async () => {
    // Says what any engine says of itself, and keeps connections for as long as its clients do.
    const server = createHttpServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"Version":"1","Os":"linux"}');
    });
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const engine = await findEngine(`tcp://127.0.0.1:${port}`);
    engine.close();
    const connected = once(server, 'connection') as Promise<[Socket]>;
    await engine.docker.version();
    const [connection] = await connected;
    if (!connection.closed) await once(connection, 'close');
    expect(connection.closed).toBe(true);
  });
});
