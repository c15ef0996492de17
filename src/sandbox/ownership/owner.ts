/** The owner of a sandbox: a provider in a process on a machine. */
export interface Owner {
  /** The processes that can see whether the owner lives; see `machineOf`. */
  readonly machine: string;
  readonly processId: number;
  /**
   * Unique. The provider holds the local name `owner/<id>` from its first sandbox until it is
   * closed.
   */
  readonly id: string;
}

/** Whether an owner lives. It is unknown for owners of other machines. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** What identifies the processes that see the same local names. */
export interface MachineFacts {
  /** Undefined if the system does not have one. */
  readonly bootId: string | undefined;
  /** Identifies the directory of local names. */
  readonly directory: string;
  readonly hostName: string;
  readonly userId: number;
}

/** The machine of owners whose state cannot be told. */
export const UNKNOWN_MACHINE = 'unknown';

/**
 * Identifies the processes that can see each other's local names: processes of one boot and one
 * user that see the same directory. A process that sees another directory, such as one in its own
 * container, cannot distinguish a dead owner from one that it does not see.
 */
export function machineOf({ bootId, directory, hostName, userId }: MachineFacts): string {
  return `${bootId ?? hostName}:${directory}:${userId}`.replaceAll('/', '_');
}

/** Writes the owner as the label of a sandbox. */
export function encodeOwner({ machine, processId, id }: Owner): string {
  return `${machine}/${processId}/${id}`;
}

/** Reads a label. Undefined if this package did not write it. */
export function decodeOwner(label: string | undefined): Owner | undefined {
  const [, machine, processId, id] = /^([^/]+)\/(\d+)\/([\w-]+)$/.exec(label ?? '') ?? [];
  if (machine === undefined || processId === undefined || id === undefined) return undefined;
  return { machine, processId: Number(processId), id };
}

/**
 * Tells whether an owner lives.
 * @param machine - The machine of the process that asks.
 * @param isHeld - Whether a live process holds the owner's name.
 */
export async function judgeOwner(
  owner: Owner | undefined,
  machine: string,
  isHeld: (owner: Owner) => Promise<boolean>,
): Promise<OwnerState> {
  if (owner === undefined || owner.machine !== machine || machine === UNKNOWN_MACHINE) {
    return 'unknown';
  }
  try {
    return (await isHeld(owner)) ? 'alive' : 'dead';
  } catch {
    return 'unknown';
  }
}
