import { randomBytes } from 'node:crypto';
import { link, utimes } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { askHolder, type HolderPatience, type NameHolder, Patience } from './ask-holder.ts';
import { messageOf } from '../errors.ts';
import { NameFiles } from './name-files.ts';
import { warn } from '../process-warning.ts';
import type { HolderOptions, NameSocket } from './name-socket.ts';

// How a name is held. A process that wants a name creates a socket under a file name that is used
// only once, and then looks for other sockets of the same name. It has the name if none of them is
// live. If two processes want the name at the same moment, the one whose file appeared later sees
// the other's file, so they never both have it. Any process can remove the files of dead processes
// at any time: a file name is never used again, so a file that was found dead cannot belong to a
// live process later.
//
// A file appears, by a rename, only when its socket is listened on, because a socket that was
// created but is not yet listened on looks dead. If several processes see each other, the one whose
// file name sorts first waits until the others withdraw, unless one of them has a second link,
// which says that it already holds the name.
//
// A process that wants a name can ask its holder for it, over the socket. The holder decides. If it
// releases the name, now or later, the process that asked first can take it before the others.

/** A name that this process holds until it releases it or ends in any way. */
export interface HeldName {
  /** Whether another process, or another part of this one, has asked for it and waits for it. */
  readonly isWanted: boolean;
  /** Resolves when a process that asked for the name has taken it, or has had time to. */
  release(): Promise<void>;
}

/**
 * How often, and with which pause, the first of several claims looks whether the others have
 * withdrawn.
 */
const WITHDRAWAL_CHECKS = 100;
const WITHDRAWAL_PAUSE_MS = 10;

/** The longest pause between two attempts to take a name that others hold or take first. */
const LONGEST_PAUSE_MS = 1000;

/** By names: connections that end when this process has tried to take the name. */
const turns = new Map<string, Socket>();

/** How often files are touched: cleaners of temporary files remove those that are not used. */
const TOUCH_MS = 3_600_000;

/**
 * Takes a name that only one process of this user can hold at a time. Returns undefined if another
 * process holds it. The name is free as soon as its holder has ended: a crash leaves no lock, and a
 * slow holder does not lose it. This applies to the processes that see the same directory
 * (`name-directory.ts`) and run on the same kernel.
 * @throws PtcError `NAMES_UNAVAILABLE`, or the system's own error.
 */
export async function holdName(
  name: string,
  options?: HolderOptions,
): Promise<HeldName | undefined> {
  try {
    return await take(name, options);
  } finally {
    turns.get(name)?.destroy();
  }
}

/**
 * Whether the process that had the name has left it to this one, which it now waits for. `holdName`
 * most likely succeeds.
 */
export function hasTurn(name: string): boolean {
  return turns.has(name);
}

async function take(
  name: string,
  options: HolderOptions | undefined,
): Promise<HeldName | undefined> {
  const files = await NameFiles.of(name);
  if ((await files.liveClaims()).length > 0) return undefined;
  const unique = randomBytes(5).toString('hex');
  const socket = await files.announce(unique, options);
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
 * Takes a name as soon as no other process holds it.
 * @throws the signal's reason if it fires first, and what `holdName` throws.
 */
export async function holdNameWhenFree(name: string, signal: AbortSignal): Promise<HeldName> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const held = await holdName(name);
    if (held !== undefined) return held;
    // Several processes may learn at the same moment that it is free, again and again.
    if (tries > 0) await delay(Math.min(LONGEST_PAUSE_MS, 2 ** tries), undefined, { signal });
    await askForName(name, new Patience(Infinity), signal);
  }
}

/**
 * Whether a live process holds the name, or is about to take it.
 * @throws what `holdName` throws.
 */
export async function isNameHeld(name: string): Promise<boolean> {
  return (await (await NameFiles.of(name)).liveClaims()).length > 0;
}

/**
 * Asks the process that has a name for it, and waits until it is free. Then take it with
 * `holdName` at once: until then, other processes that asked wait for this one. If that returns
 * undefined, another process was faster, or too many wait for the name.
 * @returns the process that still has it after the time that `patience` gives it; undefined if the
 *   name may be free.
 * @throws the signal's reason if it fires first, and what `holdName` throws.
 */
export async function askForName(
  name: string,
  patience: HolderPatience,
  signal: AbortSignal,
): Promise<NameHolder | undefined> {
  const address = await claimOf(name);
  signal.throwIfAborted();
  if (performance.now() >= patience.answerDeadline) return { advertised: undefined };
  if (address === undefined) return undefined;
  const asked = await askHolder(address, patience, signal);
  if (asked === 'ended') return undefined;
  if ('holder' in asked) return asked.holder;
  keepTurn(name, asked.turn);
  return undefined;
}

/** The address of the process that holds the name, or else of one that is about to take it. */
async function claimOf(name: string): Promise<string | undefined> {
  const files = await NameFiles.of(name);
  const claims = await files.liveClaims();
  const claim = claims.find(({ holds }) => holds) ?? claims[0];
  return claim && files.path(claim.unique, 'claim');
}

function keepTurn(name: string, turn: Socket): void {
  turns.get(name)?.destroy();
  turns.set(name, turn);
  turn.once('close', () => {
    if (turns.get(name) === turn) turns.delete(name);
  });
}

/** Waits until no other claim is live. False if another process has the name or comes first. */
async function isFirst(files: NameFiles, unique: string): Promise<boolean> {
  for (let tries = 0; tries < WITHDRAWAL_CHECKS; tries += 1) {
    const claims = await files.liveClaims();
    // Another process removed the file, so no process can see this claim.
    if (!claims.some((claim) => claim.unique === unique)) return false;
    const others = claims.filter((claim) => claim.unique !== unique);
    if (others.length === 0) return true;
    if (others.some((other) => other.holds || other.unique < unique)) return false;
    await delay(WITHDRAWAL_PAUSE_MS);
  }
  // Another claim is not withdrawn, for example because its process is stopped. It may hold the
  // name.
  return false;
}

async function withdraw(files: NameFiles, unique: string, socket: NameSocket): Promise<void> {
  await files.remove(unique);
  await socket.close();
}

/** All names that this process holds. */
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

  get isWanted(): boolean {
    return this.#socket.isWanted;
  }

  async release(): Promise<void> {
    held.delete(this);
    if (held.size === 0) {
      clearInterval(touching);
      touching = undefined;
    }
    await withdraw(this.#files, this.#unique, this.#socket);
  }

  /** @throws the file system's error, for example if the file was removed. */
  async touch(): Promise<void> {
    const now = new Date();
    await utimes(this.#files.path(this.#unique, 'claim'), now, now);
  }
}

function touchAll(): void {
  Promise.all([...held].map((name) => name.touch())).catch((error: unknown) => {
    warn(
      `A file with which this process holds a name cannot be updated: ${messageOf(error)}. If the file was removed, another process can take the name, such as the key of a session. Keep its directory while processes of this user run (loginctl enable-linger), and restart this process.`,
    );
  });
}
