import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { programsOf } from '../../src/testing/index.ts';
import { prepareProgram } from '../../src/testing/programs/contract-programs.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { skippedFor } from '../support/skipped.ts';
import { leakyProvider, runContractTest } from './leaky-provider.ts';

/** Also the name of the host's interface, which has at most 15 characters. */
const NAMESPACE = `ptc-${randomUUID().slice(0, 8)}`;
/** Nobody has these addresses, which are for documentation. */
const HOST = '203.0.113.1';
const SANDBOX = '203.0.113.2';

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}

/** Makes a network that is connected to the host. @returns why there is none. */
function connectNetwork(): string | undefined {
  try {
    ip('netns', 'add', NAMESPACE);
    const inside = ['-n', NAMESPACE];
    ip('link', 'add', NAMESPACE, 'type', 'veth', 'peer', 'name', 'inside', 'netns', NAMESPACE);
    ip('address', 'add', `${HOST}/30`, 'dev', NAMESPACE);
    ip('link', 'set', NAMESPACE, 'up');
    ip(...inside, 'address', 'add', `${SANDBOX}/30`, 'dev', 'inside');
    ip(...inside, 'link', 'set', 'inside', 'up');
    ip(...inside, 'link', 'set', 'lo', 'up');
    ip(...inside, 'route', 'add', 'default', 'via', HOST);
    return undefined;
  } catch (error) {
    return `the user cannot make networks: ${String(error)}`;
  }
}

function removeNetwork(): void {
  // The interface of the host goes with its other end.
  try {
    ip('netns', 'delete', NAMESPACE);
  } catch {
    // There was none.
  }
}

const LANGUAGES: readonly LanguageName[] = ['python', 'javascript', 'bash'];

function connectedProvider(): SandboxProvider {
  return leakyProvider({
    starter: ['ip', 'netns', 'exec', NAMESPACE],
    options: ['--share-net'],
  });
}

describeWithBubblewrap('the contract suite finds a provider that', () => {
  const missing = connectNetwork();
  afterAll(removeNetwork);

  it.each(LANGUAGES)(
    'connects a network of its own to the host: %s',
    skippedFor(missing),
    async (language) => {
      await expect(
        runContractTest('a program reaches no port', { language, provider: connectedProvider }),
      ).rejects.toThrow(HOST);
    },
  );

  // As those of some networks in user space do, which are none of the host's addresses.
  it.each(LANGUAGES)(
    'has a gateway that leads to the host’s loopback interface: %s',
    skippedFor(missing),
    async (language) => {
      const server = createServer((socket) => {
        // Programs that end reset their connections.
        socket.on('error', () => {});
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
      server.listen(0, HOST);
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const program = prepareProgram(programsOf(language), 'hostPort');
      await using executor = new SandboxExecutor({
        provider: connectedProvider(),
        languages: [language],
        tools: [{ name: 'host_ports', description: 'x', run: () => `127.0.0.1/${port}` }],
      });
      const result = await executor.execute('code' in program ? program.code : '');
      expect(result.stdout).toContain(HOST);
    },
  );
});
