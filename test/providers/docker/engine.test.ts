import { connect, createServer } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
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
