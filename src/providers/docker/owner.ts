/** Who made a container: a provider in a process on a machine. */
export interface Owner {
  /** Where its name can be asked for; see `machineOf`. */
  readonly machine: string;
  readonly processId: number;
  /** Unique. The provider holds the name `owner/<id>` from its first container until it is closed. */
  readonly id: string;
}

/** What can be known of an owner from here: of another machine's, nothing. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** What tells the names of some processes apart from those of others. */
export interface MachineFacts {
  /** Undefined where the system has none. */
  readonly bootId: string | undefined;
  /** Of the directory in which names are held. */
  readonly directory: string;
  readonly hostName: string;
  readonly userId: number;
}

/** The owner of whom nobody can say whether it lives. */
export const UNKNOWN_MACHINE = 'unknown';

/**
 * Names the processes that can ask each other's names: those of one boot and one user that see the same directory.
 * Whoever sees another one, as in a container of its own, cannot tell a dead owner from one that it does not see.
 */
export function machineOf({ bootId, directory, hostName, userId }: MachineFacts): string {
  return `${bootId ?? hostName}:${directory}:${userId}`.replaceAll('/', '_');
}

/** The owner as a container's label. */
export function encodeOwner({ machine, processId, id }: Owner): string {
  return `${machine}/${processId}/${id}`;
}

/** Reads a label; undefined where it is none of ours. */
export function decodeOwner(label: string | undefined): Owner | undefined {
  const [, machine, processId, id] = /^([^/]+)\/(\d+)\/([\w-]+)$/.exec(label ?? '') ?? [];
  if (machine === undefined || processId === undefined || id === undefined) return undefined;
  return { machine, processId: Number(processId), id };
}

/**
 * Whether an owner lives.
 * @param machine - Where this is asked.
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
