import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type HeldName, holdName, isNameHeld } from '../../shared/kernel-name.ts';
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
    const [machine, name] = await Promise.all([
      thisMachine(),
      // Where no name can be had, nobody must take its absence for a death.
      holdName(nameOf(this.#id)).catch(() => undefined),
    ]);
    const owner = {
      machine: name === undefined ? UNKNOWN_MACHINE : machine,
      processId: process.pid,
      id: this.#id,
    };
    return { label: encodeOwner(owner), name };
  }
}

/** The machine on which this process runs, as in an owner's label. */
export async function thisMachine(): Promise<string> {
  const [bootId, networkNamespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined),
    readlink('/proc/self/ns/net').catch(() => undefined),
  ]);
  return machineOf({
    bootId: bootId?.trim(),
    networkNamespace,
    hostName: hostname(),
    userId: process.getuid?.() ?? 0,
  });
}

/** Whether the process of an owner of this machine lives. */
export async function isOwnerHeld({ id, processId }: Owner): Promise<boolean> {
  if (await isNameHeld(nameOf(id))) return true;
  // Elsewhere a name is a file, which a cleaner of temporary files may remove from a live owner.
  return process.platform !== 'linux' && isProcessAlive(processId);
}

function nameOf(id: string): string {
  return `owner/${id}`;
}

function isProcessAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
