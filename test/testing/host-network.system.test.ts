import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { LanguageName } from '../../src/protocol/messages.ts';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { programsOf } from '../../src/testing/index.ts';
import { prepareProgram } from '../../src/testing/programs/contract-programs.ts';
import { describeWithBubblewrap, hasBubblewrap } from '../support/bubblewrap.ts';
import { skippedFor } from '../support/skipped.ts';
import { leakyProvider, runContractTest } from './leaky-provider.ts';

/** An interface of the host, whose name has at most 15 characters. */
const INTERFACE = `ptc-${randomUUID().slice(0, 8)}`;
/** Nobody has these addresses, which are for documentation. */
const HOST = '203.0.113.1';
const SANDBOX = '203.0.113.2';

/** A network that is connected to the host. */
interface Network {
  /** A command that starts another one in the network. */
  readonly enter: readonly string[];
  readonly close: () => Promise<void>;
}

/** @returns why there is none, as a text. */
async function makeNetwork(): Promise<Network | string> {
  if (!hasBubblewrap) return 'bubblewrap does not work here';
  // The network, and with it the interface of the host, goes when this process ends, which it also does when its input ends.
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo ready; exec cat']);
  const ended = once(holder, 'close').catch(() => []);
  const close = async (): Promise<void> => {
    holder.stdin.end();
    await ended;
  };
  try {
    const [line]: unknown[] = await Promise.race([once(holder.stdout, 'data'), ended]);
    if (!Buffer.isBuffer(line)) throw new Error('unshare --net does not work');
    const enter = ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
    const run = ([file = '', ...args]: readonly string[]) => execFileSync(file, args);
    const pair = ['type', 'veth', 'peer', 'name', 'inside', 'netns', String(holder.pid)];
    run(['ip', 'link', 'add', INTERFACE, ...pair]);
    run(['ip', 'address', 'add', `${HOST}/30`, 'dev', INTERFACE]);
    run(['ip', 'link', 'set', INTERFACE, 'up']);
    run([...enter, 'ip', 'address', 'add', `${SANDBOX}/30`, 'dev', 'inside']);
    run([...enter, 'ip', 'link', 'set', 'inside', 'up']);
    run([...enter, 'ip', 'route', 'add', 'default', 'via', HOST]);
    return { enter, close };
  } catch (error) {
    await close();
    return `the user cannot make networks: ${String(error)}`;
  }
}

const network = await makeNetwork();
const missing = typeof network === 'string' ? network : undefined;

const LANGUAGES: readonly LanguageName[] = ['python', 'javascript', 'bash'];

function connectedProvider(): SandboxProvider {
  if (typeof network === 'string') throw new Error(network);
  return leakyProvider({ starter: network.enter, options: ['--share-net'] });
}

describeWithBubblewrap('the contract suite finds a provider that', () => {
  afterAll(async () => {
    if (typeof network !== 'string') await network.close();
  });

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
