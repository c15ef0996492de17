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
 * A user id of a sandbox's own, for the kernel counts some things by user over all sandboxes.
 * Ids stay within 20000 to 59999, which subordinate ranges of rootless engines include; after
 * 40000 sandboxes they repeat. Two sandboxes of one id share such counts, and nothing else.
 */
export function userIdOfSlot(slot: number): number {
  return FIRST_USER_ID + (slot % USER_IDS);
}
