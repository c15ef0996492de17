import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
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
  const server = await listen(address);
  if (server !== undefined) return held(server);
  if (isFile(address) && !(await isNameHeld(name))) {
    // What a process that crashed left behind: only where sockets have to be files.
    await unlink(address).catch(() => undefined);
    const second = await listen(address);
    return second && held(second);
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

function held(server: Server): HeldName {
  return {
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** Listens without keeping the process alive; undefined where the address is taken. */
async function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path: address, exclusive: true }, () => resolve(server.unref()));
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
