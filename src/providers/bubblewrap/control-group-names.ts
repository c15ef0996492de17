/** Who made a group. */
export interface GroupOwner {
  /** The number of its process name space, in which `processId` means something. */
  readonly nameSpace: string;
  readonly processId: number;
  /** As in `/proc/…/stat`: an id alone may be another's by now. */
  readonly startTime: string;
}

/** The group that a host and what it was started with move to, for groups with processes bound none below them. */
export const HOST_GROUP = 'sandboxed-ptc-host';

/**
 * With version 1, the group below which those of all sandboxes are that bound processors. On a busy machine all of them
 * together get as much as one process outside, such as their host.
 */
export const SANDBOXES_GROUP = 'sandboxed-ptc-sandboxes';

const PREFIX = 'sandboxed-ptc';

/** The name of a group. @param unique - Tells it from the others of its owner. */
export function groupName({ nameSpace, processId, startTime }: GroupOwner, unique: string): string {
  return [PREFIX, nameSpace, processId, startTime, unique].join('-');
}

/** Whose group it is; undefined where it is none of ours. */
export function ownerOfGroup(name: string): GroupOwner | undefined {
  const [, nameSpace, processId, startTime] =
    /^sandboxed-ptc-(\d+)-(\d+)-(\d+)-[\da-f]+$/.exec(name) ?? [];
  if (nameSpace === undefined || processId === undefined || startTime === undefined) {
    return undefined;
  }
  return { nameSpace, processId: Number(processId), startTime };
}

/** When a process was started, by its `/proc/…/stat`: the 22nd field, counted after the name, which may hold anything. */
export function startTimeOf(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** The lines of `/proc/self/cgroup`: the path by controller; that of version 2 by an empty name. */
export function parseOwnGroups(text: string): ReadonlyMap<string, string> {
  const lines = Array.from(text.matchAll(/^\d+:([^:]*):(.+)$/gm));
  return new Map(
    lines.flatMap(([, controllers = '', path = '']) =>
      controllers.split(',').map((controller) => [controller, path] as const),
    ),
  );
}

/** A group that may be handed over to its processes, and the unit of systemd that it is, where it is one. */
export interface Delegation {
  readonly path: string;
  readonly unit: { readonly name: string; readonly ofUser: boolean } | undefined;
}

/**
 * The group below which a process may make others, by its own one's path. It is the innermost unit: what is below
 * was made by the unit's own processes, and what is above is systemd's. Without systemd, as in a container, it is
 * the process's own.
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
