import { randomUUID } from 'node:crypto';

/** A key of a session that no other test has: on one machine, one process at a time holds the session of a key. */
export function uniqueKey(name: string): string {
  return `${name}-${randomUUID()}`;
}
