/** Who made a container: a provider in a process on a machine. */
export interface Owner {
  /** Where its kernel name means something; see `machineOf`. */
  readonly machine: string;
  readonly processId: number;
  /** Unique. The provider holds the kernel name `owner/<id>` from its first container until it is closed. */
  readonly id: string;
}

/** What can be known of an owner from here: of another machine's, nothing. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** What sets one kernel's names apart from another's. */
export interface MachineFacts {
  /** Undefined where the system has none. */
  readonly bootId: string | undefined;
  /** As `/proc/self/ns/net` reads; undefined where the system has none. */
  readonly networkNamespace: string | undefined;
  readonly hostName: string;
  readonly userId: number;
}

/** The owner of whom nobody can say whether it lives. */
export const UNKNOWN_MACHINE = 'unknown';

/**
 * Names the realm in which kernel names can be asked for: one boot, one network namespace and one
 * user, for each of them has names of its own.
 */
export function machineOf(facts: MachineFacts): string {
  const { bootId, networkNamespace, hostName, userId } = facts;
  const place =
    bootId !== undefined && networkNamespace !== undefined
      ? `${bootId}:${networkNamespace.replaceAll(/\D/g, '')}`
      : hostName;
  return `${place}:${userId}`.replaceAll('/', '_');
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
 * @param isHeld - Whether a live process holds the owner's kernel name.
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
