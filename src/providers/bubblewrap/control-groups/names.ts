/** The process that created a control group. */
export interface GroupOwner {
  /** The number of its process namespace, to which `processId` belongs. */
  readonly namespace: string;
  readonly processId: number;
  /** From `/proc/…/stat`. The id alone may belong to another process by now. */
  readonly startTime: string;
}

/**
 * The group to which a host and the processes of its unit move, because a group with processes
 * cannot limit groups below it.
 */
export const HOST_GROUP = 'sandboxed-ptc-host';

/**
 * In version 1, the parent of all sandboxes' groups for processor time. On a busy machine, all of
 * them together get as much as one process outside, such as their host.
 */
export const SANDBOXES_GROUP = 'sandboxed-ptc-sandboxes';

const PREFIX = 'sandboxed-ptc';

/** The name of a group. @param unique - Distinguishes it from other groups of its owner. */
export function groupName({ namespace, processId, startTime }: GroupOwner, unique: string): string {
  return [PREFIX, namespace, processId, startTime, unique].join('-');
}

/** The owner of a group. Undefined if the group does not belong to this package. */
export function ownerOfGroup(name: string): GroupOwner | undefined {
  const [, namespace, processId, startTime] =
    /^sandboxed-ptc-(\d+)-(\d+)-(\d+)-[\da-f]+$/.exec(name) ?? [];
  if (namespace === undefined || processId === undefined || startTime === undefined) {
    return undefined;
  }
  return { namespace, processId: Number(processId), startTime };
}

/**
 * The start time of a process: the 22nd field of its `/proc/…/stat`, counted after the name, which
 * can contain any character.
 */
export function startTimeOf(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/**
 * Parses `/proc/self/cgroup`: the path of each controller, and that of version 2 with an empty
 * name.
 */
export function parseOwnGroups(text: string): ReadonlyMap<string, string> {
  const lines = Array.from(text.matchAll(/^\d+:([^:]*):(.+)$/gm));
  return new Map(
    lines.flatMap(([, controllers = '', path = '']) =>
      controllers.split(',').map((controller) => [controller, path] as const),
    ),
  );
}

/** A group that may be delegated to its processes, and its systemd unit, if it is one. */
export interface Delegation {
  readonly path: string;
  readonly unit: { readonly name: string; readonly ofUser: boolean } | undefined;
}

/**
 * Finds the group below which a process may create others, from the path of its own group. It is
 * the innermost unit: the groups below were created by processes of the unit, and the groups above
 * belong to systemd. Without systemd, as in a container, it is the process's own group.
 */
export function delegationOf(path: string): Delegation {
  const names = path.split('/').slice(1);
  const index = names.findLastIndex((name) => /\.(?:service|scope)$/.test(name));
  const name = names[index];
  if (name === undefined) {
    const own = names.at(-1) === HOST_GROUP ? names.slice(0, -1) : names;
    return { path: `/${own.join('/')}`, unit: undefined };
  }
  const outer = names.slice(0, index);
  const ofUser = outer.some((each) => /^user@\d+\.service$/.test(each));
  return { path: `/${names.slice(0, index + 1).join('/')}`, unit: { name, ofUser } };
}
