import { randomBytes } from 'node:crypto';
import { link, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from './errors.ts';
import { digestOf, NameFiles } from './name-files.ts';
import { warn } from './process-warning.ts';
import { listen, stateOf, untilEnded, type NameSocket } from './name-socket.ts';

// How a name is held. A process that wants it makes a socket under a file name that is used once, and only then
// looks at the others of the same name. It has the name if none of them is live. Of two that want it at the same
// moment, the one whose file appeared later sees the other's, so never do both have it. Files of dead processes can
// be removed by anybody at any time, because their names never come again: there is no moment in which what is found
// dead could have become another's.
//
// A file appears when its socket is listened on, by a rename, since between being made and being listened on a socket
// looks dead. If several see each other, the first by file name waits for the rest to step back, unless one of them
// has a second link that says that it holds the name already.

/** A name that this process holds until it lets go of it, or ends in whatever way. */
export interface HeldName {
  release(): Promise<void>;
}

/** How often, and with which pause, the first of several waits for the others to step back. */
const STEPPING_BACK_TRIES = 100;
const STEPPING_BACK_MS = 10;

/** Before an address that is live but takes no more connections is tried again. */
const CROWDED_MS = 50;

/** The longest pause between two tries to take a name that others hold, or take first. */
const LONGEST_PAUSE_MS = 1000;

/** How often files are touched, since cleaners of temporary files remove those that nobody uses. */
const TOUCH_MS = 3_600_000;

/**
 * Takes a name that only one process of this user can hold at a time; undefined if another does. It is free as soon
 * as its holder is gone: a crash leaves no lock, and a slow holder loses none. It holds among the processes that see
 * the same directory (`name-directory.ts`) and run on the same kernel.
 * @throws PtcError `NAMES_UNAVAILABLE`, or the system's own error.
 */
export async function holdName(name: string): Promise<HeldName | undefined> {
  if (process.platform === 'win32') return heldPipe(name);
  const files = await NameFiles.of(name);
  if ((await files.liveClaims()).length > 0) return undefined;
  const unique = randomBytes(5).toString('hex');
  const socket = await files.announce(unique);
  try {
    if (await isFirst(files, unique)) {
      await link(files.path(unique, 'claim'), files.path(unique, 'held'));
      return new HeldFile(files, unique, socket);
    }
  } catch (error) {
    await withdraw(files, unique, socket);
    throw error;
  }
  await withdraw(files, unique, socket);
  return undefined;
}

/**
 * Takes a name as soon as nobody else holds it.
 * @throws the signal's reason if it fires first, or as `holdName`.
 */
export async function holdNameWhenFree(name: string, signal: AbortSignal): Promise<HeldName> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const held = await holdName(name);
    if (held !== undefined) return held;
    // Many may be told at the same moment that it is free, again and again.
    if (tries > 0) await delay(Math.min(LONGEST_PAUSE_MS, 2 ** tries), undefined, { signal });
    await waitUntilFree(name, signal);
  }
}

/**
 * Whether a live process holds the name, or is about to take it.
 * @throws as `holdName`.
 */
export async function isNameHeld(name: string): Promise<boolean> {
  if (process.platform === 'win32') return (await stateOf(pipeOf(name))) === 'live';
  return (await (await NameFiles.of(name)).liveClaims()).length > 0;
}

/**
 * Waits until the holder of a name lets go of it or ends; returns at once if nobody holds it. Whoever is told takes
 * the name with `holdName`; if that fails, another was quicker.
 * @throws the signal's reason if it fires first, or as `holdName`.
 */
export async function waitUntilFree(name: string, signal: AbortSignal): Promise<void> {
  if (process.platform === 'win32') {
    await untilEnded(pipeOf(name), signal);
    return;
  }
  const files = await NameFiles.of(name);
  for (;;) {
    signal.throwIfAborted();
    const [claim] = await files.liveClaims();
    if (claim === undefined) return;
    if (await untilEnded(files.path(claim.unique, 'claim'), signal)) return;
    await delay(CROWDED_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether the name is this claim's: once no other is live. False if another has it or comes first. */
async function isFirst(files: NameFiles, unique: string): Promise<boolean> {
  for (let tries = 0; tries < STEPPING_BACK_TRIES; tries += 1) {
    const claims = await files.liveClaims();
    // Somebody removed the file: nobody can see that this process wants the name.
    if (!claims.some((claim) => claim.unique === unique)) return false;
    const others = claims.filter((claim) => claim.unique !== unique);
    if (others.length === 0) return true;
    if (others.some((other) => other.holds || other.unique < unique)) return false;
    await delay(STEPPING_BACK_MS);
  }
  // One of the others does not step back, as when it is stopped; it may be one that holds the name.
  return false;
}

async function withdraw(files: NameFiles, unique: string, socket: NameSocket): Promise<void> {
  await files.remove(unique);
  await socket.close();
}

/** All that this process holds. */
const held = new Set<HeldFile>();
let touching: NodeJS.Timeout | undefined;

class HeldFile implements HeldName {
  readonly #files: NameFiles;
  readonly #unique: string;
  readonly #socket: NameSocket;

  constructor(files: NameFiles, unique: string, socket: NameSocket) {
    this.#files = files;
    this.#unique = unique;
    this.#socket = socket;
    held.add(this);
    touching ??= setInterval(touchAll, TOUCH_MS).unref();
  }

  async release(): Promise<void> {
    held.delete(this);
    if (held.size === 0) {
      clearInterval(touching);
      touching = undefined;
    }
    await withdraw(this.#files, this.#unique, this.#socket);
  }

  /** @throws the file system's error, as when somebody removed the file. */
  async touch(): Promise<void> {
    const now = new Date();
    await utimes(this.#files.path(this.#unique, 'claim'), now, now);
  }
}

function touchAll(): void {
  Promise.all([...held].map((name) => name.touch())).catch((error: unknown) => {
    warn(
      `A file by which this process holds a name cannot be touched: ${messageOf(error)}. If it was removed, another process can take what this one holds, such as the key of a session. Let the directory stay while processes of this user run (loginctl enable-linger), and start this process again.`,
    );
  });
}

async function heldPipe(name: string): Promise<HeldName | undefined> {
  const socket = await listen(pipeOf(name));
  return socket && { release: async () => socket.close() };
}

function pipeOf(name: string): string {
  return `\\\\.\\pipe\\sandboxed-ptc-${digestOf(name, 40)}`;
}
