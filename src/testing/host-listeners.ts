import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The first address of `listenOnHost`. */
const LOOPBACK = '127.0.0.1';

/** For programs that connect with `fetch`: in Node, it never settles if the connection is closed without an answer. */
const ANSWER = 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n';

/** Ports of the host that programs must not reach. */
export interface HostListeners extends Disposable {
  /** Addresses and ports, such as `127.0.0.1/4000`. The first is that of 127.0.0.1. */
  readonly places: readonly string[];
  /** The addresses that were reached, one for each connection. */
  readonly reached: readonly string[];
}

/**
 * Listens on each address that the host has, and counts connections. A sandbox with a network of its own never reaches the
 * host's loopback interface, but it may reach the host's other addresses: listeners on the loopback interface alone would show
 * nothing. The ports are chosen by the system. A connection gets an empty answer and its end, and what it sends is dropped.
 */
export async function listenOnHost(): Promise<HostListeners> {
  const open: (Server | Socket)[] = [];
  const places: string[] = [];
  const reached: string[] = [];
  const close = (): void => {
    for (const each of open) {
      if ('close' in each) each.close();
      else each.destroy();
    }
  };
  try {
    for (const address of hostAddresses()) {
      const server = createServer((socket) => {
        open.push(socket);
        reached.push(address);
        // A program that ends resets its connections.
        socket.on('error', () => {});
        socket.resume().end(ANSWER);
      });
      open.push(server);
      server.listen({ port: 0, host: address, ipv6Only: true });
      await once(server, 'listening');
      places.push(`${address}/${(server.address() as AddressInfo).port}`);
    }
    return { places, reached, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Without those that are valid only together with an interface, whose name differs in the sandbox. */
function hostAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter((info) => info.family === 'IPv4' || info.scopeid === 0);
  return new Set([LOOPBACK, ...usable.map(({ address }) => address)]);
}
