import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A socket that is listened on until it is closed, or its process ends in whatever way. */
export interface NameSocket {
  /** Closes the socket, and then the connections of the processes that wait for that. */
  close(): Promise<void>;
}

/**
 * What is at an address: a socket of a live process, a socket that no process listens on, or
 * nothing.
 */
export type SocketState = 'live' | 'dead' | 'absent';

/**
 * Further connections are closed, so that they cannot use up this process's descriptors. Their
 * processes try again later.
 */
const MAXIMUM_WAITING = 256;

/**
 * A dead socket always refuses a connection. On some systems a live one does too, if more
 * connections arrive than it has accepted. So several refusals are needed.
 */
const REFUSALS_IF_DEAD = 3;
const REFUSAL_PAUSE_MS = 5;

/** Listens without keeping the process alive. Returns undefined if the address is in use. */
export async function listen(address: string): Promise<NameSocket | undefined> {
  // Processes that wait stay connected, so that the end reaches them as an event.
  const waiting = new Set<Socket>();
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      waiting.add(socket.unref());
      socket.on('error', () => undefined);
      socket.once('close', () => waiting.delete(socket));
      socket.resume();
    });
    server.maxConnections = MAXIMUM_WAITING;
    // Later errors, such as a connection that is not accepted for lack of descriptors, have no
    // effect.
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    const close = async (): Promise<void> =>
      new Promise((closed) => {
        server.close(() => closed());
        // Only now: a process that learns of the end must find that the socket is closed.
        for (const socket of waiting) socket.destroy();
      });
    server.listen({ path: address, exclusive: true }, () => {
      server.unref();
      resolve({ close });
    });
  });
}

/** @throws the system's error, unless the connection was refused. */
export async function stateOf(address: string): Promise<SocketState> {
  for (let refusals = 1; ; refusals += 1) {
    const state = await ask(address);
    if (state !== 'dead' || refusals === REFUSALS_IF_DEAD) return state;
    await delay(REFUSAL_PAUSE_MS);
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
      // More connections arrived than it has accepted, so a process is there.
      else if (error.code === 'EAGAIN') resolve('live');
      // It closed before it accepted. A claim closes only once, so the next answer is final.
      else if (error.code === 'ECONNRESET') resolve(ask(address));
      else reject(error);
    });
  });
}

/**
 * Connects and waits until the connection ends. Returns false if it could not connect.
 * @throws the signal's reason if it fires first.
 */
export async function untilEnded(address: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // The other end sends nothing: only the end of the connection matters.
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
