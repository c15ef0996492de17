import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A name that this process holds until it lets go of it, or ends in whatever way. */
export interface HeldName {
  release(): Promise<void>;
}

/**
 * Takes a name that only one process of this machine can hold at a time; undefined where another
 * does. The kernel keeps it: it is free the moment its holder is gone, with no file, clock or
 * renewal in between, so a crash leaves no stale lock and a slow holder loses none. It is the name
 * of a local socket that is listened on. On Linux it holds within a network namespace.
 */
export async function holdName(name: string): Promise<HeldName | undefined> {
  const address = addressOf(name);
  const first = await listen(address);
  if (first !== undefined) return first;
  if (isFile(address) && !(await isNameHeld(name))) {
    // What a process that crashed left behind: only where sockets have to be files.
    await unlink(address).catch(() => undefined);
    return listen(address);
  }
  return undefined;
}

/** Whether a live process of this machine holds the name. */
export async function isNameHeld(name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(addressOf(name));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // More have asked than it has answered: somebody is there.
      else if (error.code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

/**
 * Waits until the holder of a name lets go of it or ends; returns at once where nobody holds it.
 * Who is told takes the name with `holdName`; where that fails, another was quicker, or the kernel is
 * still at closing a dead holder's sockets one by one: then wait again.
 * @throws the signal's reason where it fires first.
 */
export async function waitUntilFree(name: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    // The holder says nothing on it: that it closes is the news.
    const socket = connect(addressOf(name));
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort);
    // An error tells the same: nobody is there, or the holder went while it was asked.
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}

/** Listens without keeping the process alive; undefined where the address is taken. */
async function listen(address: string): Promise<HeldName | undefined> {
  // Those who wait for the name stay connected, so that its end reaches them as an event.
  const waiting = new Set<Socket>();
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      waiting.add(socket.unref());
      socket.on('error', () => undefined);
      socket.once('close', () => waiting.delete(socket));
      socket.resume();
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path: address, exclusive: true }, () => {
      server.unref();
      resolve({ release: async () => release(server, waiting) });
    });
  });
}

async function release(server: Server, waiting: ReadonlySet<Socket>): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    // Only now: who is told that the name is free must find it free.
    for (const socket of waiting) socket.destroy();
  });
}

/** Hashed, because the length of a socket's address is bounded. */
function addressOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 40);
  const unique = `sandboxed-ptc-${userId()}-${digest}`;
  if (process.platform === 'linux') return `\0${unique}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${unique}`;
  return join(tmpdir(), `${unique}.sock`);
}

function isFile(address: string): boolean {
  return address.endsWith('.sock');
}

function userId(): number {
  return process.getuid?.() ?? 0;
}
