import { randomUUID } from 'node:crypto';

/** An id for a call that has none of its own. OpenAI accepts at most 40 characters. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}
