import { randomUUID } from 'node:crypto';
import { createDeferred, type Deferred } from '../shared/deferred.ts';
import type { AttachedMessage, AttachMessage } from '../protocol/messages.ts';

/** What a runner that may outlive its host was asked, and which of its answers tells of its takeover. */
export class Attachment {
  /** The answer to the takeover. */
  readonly answer: Deferred<AttachedMessage> = createDeferred();
  #asked: boolean;
  /** The id of the takeover, while its answer is still to come. */
  #takeover: string | undefined;

  /** @param asked - Whether its provider has asked it to attach already. */
  constructor(asked: boolean) {
    this.#asked = asked;
  }

  /** Whether an answer may come. */
  get asked(): boolean {
    return this.#asked;
  }

  /** Whether the runner may still speak of its last host's run. */
  get isTakingOver(): boolean {
    return this.#takeover !== undefined;
  }

  takeOver(idleLimitMs: number): AttachMessage {
    this.#takeover = randomUUID();
    return this.#ask(idleLimitMs, this.#takeover);
  }

  renew(idleLimitMs: number): AttachMessage {
    return this.#ask(idleLimitMs, 'renewal');
  }

  /** Answers that an earlier host asked for, or that renewals have, tell nothing: then false. */
  isTakenOver(message: AttachedMessage): boolean {
    if (message.attach_id !== this.#takeover) return false;
    this.#takeover = undefined;
    this.answer.resolve(message);
    return true;
  }

  #ask(idleLimitMs: number, attachId: string): AttachMessage {
    this.#asked = true;
    return { kind: 'attach', attach_id: attachId, idle_limit_ms: idleLimitMs };
  }
}
