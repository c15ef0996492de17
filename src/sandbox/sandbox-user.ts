import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FIRST_USER_ID = 20_000;
const USER_IDS = 40_000;

/**
 * Whether a user namespace has all ids that sandboxes can get. `map` is the text of its
 * `/proc/self/uid_map`.
 */
export function hasSandboxUsers(map: string): boolean {
  return map.split('\n').some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return first <= FIRST_USER_ID && FIRST_USER_ID + USER_IDS <= first + count;
  });
}

/**
 * Gives each sandbox a user id of its own, because the kernel counts some resources by user over
 * all sandboxes. The group id is the same number.
 */
export class SandboxUsers {
  /** Starts at random, so that two processes rarely use the same ids. */
  #slot: number = randomInt(2 ** 32);
  #ids: Uint16Array | undefined;

  next(): number {
    this.#ids ??= freeUserIds(
      ['/etc/passwd', '/etc/group'].map(readIfThere),
      ['/etc/subuid', '/etc/subgid'].map(readIfThere),
    );
    return userIdOfSlot(this.#slot++, this.#ids);
  }
}

/**
 * The ids that a sandbox can get: 20000 to 59999, a range that the subordinate ids of rootless
 * engines include. Ids of this machine's accounts and groups, and its ranges of subordinate ids,
 * are left out, because a sandbox would otherwise share a user id with their processes. If no id
 * remains, all ids are returned.
 * @param accounts - Texts in the format of `/etc/passwd` or `/etc/group`.
 * @param ranges - Texts in the format of `/etc/subuid`.
 */
export function freeUserIds(accounts: readonly string[], ranges: readonly string[]): Uint16Array {
  const taken = new Set<number>();
  for (const [, , id, group] of accounts.flatMap(fieldsOfLines)) {
    taken.add(Number(id)).add(Number(group));
  }
  const isTaken = ranges.flatMap(fieldsOfLines).map(([, first, count]) => (id: number) => {
    return id >= Number(first) && id < Number(first) + Number(count);
  });
  const all = Uint16Array.from({ length: USER_IDS }, (_, index) => FIRST_USER_ID + index);
  const free = all.filter((id) => !taken.has(id) && !isTaken.some((isIn) => isIn(id)));
  return free.length === 0 ? all : free;
}

/**
 * Returns the user id for a slot. Ids repeat after as many sandboxes as there are ids; two
 * sandboxes with one id share the kernel's counts by user, and nothing else.
 */
export function userIdOfSlot(slot: number, ids: Uint16Array): number {
  return ids[slot % ids.length] ?? FIRST_USER_ID;
}

function fieldsOfLines(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(':'));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
