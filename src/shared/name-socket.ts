import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A socket that is listened on until it is closed, or its process ends in whatever way. */
export interface NameSocket {
  /** Ends it, and afterwards the connections of those who wait for that. */
  close(): Promise<void>;
}

/** What is at an address: a socket of a live process, one that nobody listens on, or nothing. */
export type SocketState = 'live' | 'dead' | 'absent';

/** Those beyond are hung up on, so that they cannot use up this process's descriptors; they ask again later. */
const MAXIMUM_WAITING = 256;

/** A dead socket refuses always. Some systems refuse also where more ask than a live one has answered. */
const REFUSALS_OF_THE_DEAD = 3;
const BETWEEN_REFUSALS_MS = 5;

/** Listens without keeping the process alive; undefined if the address is taken. */
export async function listen(address: string): Promise<NameSocket | undefined> {
  // Those who wait stay connected, so that the end reaches them as an event.
  const waiting = new Set<Socket>();
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      waiting.add(socket.unref());
      socket.on('error', () => undefined);
      socket.once('close', () => waiting.delete(socket));
      socket.resume();
    });
    server.maxConnections = MAXIMUM_WAITING;
    // Later errors, such as one of a connection that cannot be taken for want of descriptors, end nothing.
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    const close = async (): Promise<void> =>
      new Promise((closed) => {
        server.close(() => closed());
        // Only now: whoever is told that it ended must find it ended.
        for (const socket of waiting) socket.destroy();
      });
    server.listen({ path: address, exclusive: true }, () => {
      server.unref();
      resolve({ close });
    });
  });
}

/** @throws what the system says but for a refusal. */
export async function stateOf(address: string): Promise<SocketState> {
  for (let refusals = 1; ; refusals += 1) {
    const state = await ask(address);
    if (state !== 'dead' || refusals === REFUSALS_OF_THE_DEAD) return state;
    await delay(BETWEEN_REFUSALS_MS);
  }
}

async function ask(address: string): Promise<SocketState> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve('live');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve('dead');
      else if (error.code === 'ENOENT') resolve('absent');
      // More have asked than it has answered: somebody is there.
      else if (error.code === 'EAGAIN') resolve('live');
      // It was closed before it answered, which a name is only once: what is there now?
      else if (error.code === 'ECONNRESET') resolve(ask(address));
      else reject(error);
    });
  });
}

/**
 * Connects and waits until that ends; false if it could not be connected.
 * @throws the signal's reason if it fires first.
 */
export async function untilEnded(address: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // The other end says nothing on it: that it closes is the news.
    const socket = connect(address);
    let connected = false;
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort);
    socket.on('connect', () => {
      connected = true;
    });
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(connected);
    });
  });
}
