import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { bootId } from '../../shared/held-names/boot-id.ts';
import { type HeldName, holdName, isNameHeld } from '../../shared/held-names/held-name.ts';
import { nameDirectoryIdentity } from '../../shared/held-names/name-directory.ts';
import { encodeOwner, machineOf, type Owner, UNKNOWN_MACHINE } from './owner.ts';

interface Taken {
  readonly label: string;
  /** Undefined if it cannot be held. */
  readonly name: HeldName | undefined;
}

/**
 * Marks sandboxes with the provider that owns them, for engines whose sandboxes can outlive their
 * host. Other processes of the same user on this machine can see whether the owner lives. A provider
 * has one for all of its sandboxes.
 */
export class Ownership {
  readonly #id = randomUUID();
  #taken: Promise<Taken> | undefined;

  /**
   * Returns the text to store with a sandbox, such as in a label of a container. From the first call
   * on, the owner counts as alive. If its name cannot be held, the label is one of an unknown machine, and
   * the next call tries again.
   */
  async label(): Promise<string> {
    const taking = (this.#taken ??= this.#take());
    const { label, name } = await taking;
    if (name === undefined && this.#taken === taking) this.#taken = undefined;
    return label;
  }

  /** From now on, the owner counts as dead. Call this when the provider closes. */
  async release(): Promise<void> {
    const taken = await this.#taken;
    await taken?.name?.release();
  }

  async #take(): Promise<Taken> {
    // The order matters: a label must never name a directory that was created after the one in
    // which the name is held.
    const machine = await thisMachine();
    // If the name cannot be held, its absence must not be taken as a sign that the owner is dead.
    const name =
      machine === UNKNOWN_MACHINE
        ? undefined
        : await holdName(nameOf(this.#id)).catch(() => undefined);
    const owner = {
      machine: name === undefined ? UNKNOWN_MACHINE : machine,
      processId: process.pid,
      id: this.#id,
    };
    return { label: encodeOwner(owner), name };
  }
}

/**
 * The machine of this process, as in an owner's label. It is unknown if names cannot be held on it.
 */
export async function thisMachine(): Promise<string> {
  const facts = await Promise.all([bootId(), nameDirectoryIdentity()]).catch(() => undefined);
  if (facts === undefined) return UNKNOWN_MACHINE;
  const [boot, directory] = facts;
  const userId = process.getuid?.() ?? 0;
  return machineOf({ bootId: boot, directory, hostName: hostname(), userId });
}

/**
 * Whether the process of an owner on this machine lives.
 * @throws Error if this cannot be told.
 */
export async function isOwnerHeld({ id, machine }: Owner): Promise<boolean> {
  if (await isNameHeld(nameOf(id))) return true;
  // A user may have removed the directory, and with it all names, including those of live owners.
  if ((await thisMachine()) === machine) return false;
  throw new Error('The directory of local names was replaced after the owner took its name.');
}

function nameOf(id: string): string {
  return `owner/${id}`;
}
