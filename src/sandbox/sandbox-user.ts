import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FIRST_USER_ID = 20_000;
const USER_IDS = 40_000;

/** Whether a user namespace, by its `/proc/self/uid_map`, has all of these ids. */
export function hasSandboxUsers(map: string): boolean {
  return map.split('\n').some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return first <= FIRST_USER_ID && FIRST_USER_ID + USER_IDS <= first + count;
  });
}

/**
 * Gives each sandbox a user id of its own, for the kernel counts some things by user over all sandboxes. The same
 * number is its group's.
 */
export class SandboxUsers {
  /** Starts anywhere, so that two processes seldom give out the same ids. */
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
 * The ids that a sandbox may have: those from 20000 to 59999, which subordinate ranges of rootless engines include,
 * without those of accounts and groups of this machine and without subordinate ranges of it, whose processes a sandbox
 * could otherwise be counted with or be of one user with. All of them, if none is left.
 * @param accounts - Texts in the form of `/etc/passwd` or `/etc/group`.
 * @param ranges - Texts in the form of `/etc/subuid`.
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

/** After as many sandboxes as there are ids they repeat. Two sandboxes of one id share such counts, and nothing else. */
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
