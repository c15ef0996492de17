import { randomUUID } from 'node:crypto';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import type { AttachedMessage, AttachMessage } from '../../protocol/messages.ts';

/**
 * The attach requests to a runner that may outlive its host, and which of the answers belongs to
 * the takeover.
 */
export class Attachment {
  /** The answer to the takeover. */
  readonly answer: Deferred<AttachedMessage> = createDeferred();
  #asked: boolean;
  /** The id of the takeover until its answer arrives. */
  #takeover: string | undefined;

  /** @param asked - Whether the provider has already sent an attach request. */
  constructor(asked: boolean) {
    this.#asked = asked;
  }

  /** Whether an answer is expected. */
  get asked(): boolean {
    return this.#asked;
  }

  /** Whether the runner may still send messages about the program of its last host. */
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

  /**
   * Whether the message answers the takeover. Answers to an earlier host or to renewals do not
   * matter.
   */
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
