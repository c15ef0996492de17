import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A socket that is listened on until it is closed, or its process ends in whatever way. */
export interface NameSocket {
  /** Whether processes that have asked for the name are connected. */
  readonly isWanted: boolean;
  /**
   * Closes the socket, gives the process that asked first its turn, and then closes the connections
   * of all processes that wait.
   */
  close(): Promise<void>;
}

/** What the holder of a name decides and says. */
export interface HolderOptions {
  /**
   * Called when another process asks for the name. Returns whether it will be free soon. Never
   * throws.
   * @default whoever asks has to wait
   */
  readonly onAsked?: () => boolean;
  /** What whoever asks is told about the holder if the name is in use. One line. @default nothing */
  readonly advertise?: string | undefined;
}

/**
 * What a connected process sends to ask for the name, and what it is answered. Each is one byte. An
 * answer ends with a newline, and what the holder says about itself is between `IN_USE` and that.
 * `TURN` says that the name is free, and that this process may take it before others that wait.
 */
export const ASK = '?';
export const IN_USE = '-';
export const SOON = '+';
export const TURN = '!';

/**
 * How long the process whose turn it is may take to take the name. It then closes its connection.
 * It may be stopped.
 */
const TURN_MS = 1000;

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

/**
 * Listens without keeping the process alive.
 * @throws the system's error.
 */
export async function listen(
  address: string,
  { onAsked = () => false, advertise = '' }: HolderOptions = {},
): Promise<NameSocket> {
  // Processes that wait stay connected, so that the end reaches them as an event.
  const waiting = new Set<Socket>();
  /** Those that have asked, in their order. */
  const asking = new Set<Socket>();
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      waiting.add(socket.unref());
      socket.on('error', () => undefined);
      socket.once('close', () => {
        waiting.delete(socket);
        asking.delete(socket);
      });
      // What it sends has no other meaning than that it asks.
      socket.once('data', () => {
        if (!server.listening) return;
        asking.add(socket);
        socket.write(onAsked() ? `${SOON}\n` : `${IN_USE}${advertise}\n`);
      });
      socket.resume();
    });
    server.maxConnections = MAXIMUM_WAITING;
    // Later errors, such as a connection that is not accepted for lack of descriptors, have no
    // effect.
    server.on('error', reject);
    const close = async (): Promise<void> => {
      const closed = new Promise<void>((onClosed) => server.close(() => onClosed()));
      // Only now: a process that learns of the end must find that the socket is closed.
      const [first] = asking;
      if (first !== undefined) await giveTurn(first);
      for (const socket of waiting) socket.destroy();
      await closed;
    };
    server.listen({ path: address, exclusive: true }, () => {
      server.unref();
      resolve({
        get isWanted() {
          return asking.size > 0;
        },
        close,
      });
    });
  });
}

/** Waits until the process has taken the name or has given up. */
async function giveTurn(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TURN_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.write(`${TURN}\n`);
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
