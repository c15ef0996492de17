import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type HeldName, holdName, isNameHeld } from '../../shared/held-name.ts';
import { nameDirectoryIdentity } from '../../shared/name-directory.ts';
import { encodeOwner, machineOf, type Owner, UNKNOWN_MACHINE } from './owner.ts';

/** A provider's claim on what it makes, which peers on the machine can see for as long as it lives. */
export class Ownership {
  readonly #id = randomUUID();
  #taken: Promise<{ readonly label: string; readonly name: HeldName | undefined }> | undefined;

  /** The label for a container. From the first one on the owner counts as alive. */
  async label(): Promise<string> {
    this.#taken ??= this.#take();
    return (await this.#taken).label;
  }

  /** From now on the owner counts as dead. */
  async release(): Promise<void> {
    const taken = await this.#taken;
    await taken?.name?.release();
  }

  async #take(): Promise<{ readonly label: string; readonly name: HeldName | undefined }> {
    // In this order: a label must never name a directory that was made after the one in which the name is held.
    const machine = await thisMachine();
    // If no name can be had, nobody must take its absence for a death.
    const name = await holdName(nameOf(this.#id)).catch(() => undefined);
    const owner = {
      machine: name === undefined ? UNKNOWN_MACHINE : machine,
      processId: process.pid,
      id: this.#id,
    };
    return { label: encodeOwner(owner), name };
  }
}

/** The machine on which this process runs, as in an owner's label; the unknown one if names cannot be had on it. */
export async function thisMachine(): Promise<string> {
  const [bootId, directory] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined),
    nameDirectoryIdentity().catch(() => undefined),
  ]);
  if (directory === undefined) return UNKNOWN_MACHINE;
  const userId = process.getuid?.() ?? 0;
  return machineOf({ bootId: bootId?.trim(), directory, hostName: hostname(), userId });
}

/**
 * Whether the process of an owner of this machine lives.
 * @throws Error if that cannot be told.
 */
export async function isOwnerHeld({ id, machine }: Owner): Promise<boolean> {
  if (await isNameHeld(nameOf(id))) return true;
  // Somebody may have removed the directory and with it all names, those of live owners too.
  if ((await thisMachine()) === machine) return false;
  throw new Error('The directory in which this owner held its name was replaced by another one.');
}

function nameOf(id: string): string {
  return `owner/${id}`;
}
