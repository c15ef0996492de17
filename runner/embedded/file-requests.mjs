/**
 * The host's requests about files. The guest for Python does the work, in the thread of programs. It
 * gets a request only when it works on it at once, so a request that is cancelled before is never
 * done. Work that has begun cannot be ended alone.
 */

import { decodeBody, encode, FILE_ANSWER, FILE_CANCEL, FILE_REQUEST, frameIn } from './frames.mjs';

const NO_FILES = {
  errno: 'ENOSYS',
  message: 'this sandbox has no files, because Python is not one of its languages',
};
const CANCELLED = { errno: 'ECANCELED', message: 'it was cancelled' };
/** How long cancelled work may go on. A slow search of a full `/tmp` takes seconds. */
const CANCELLED_LIMIT_MS = 15_000;

export class FileRequests {
  #guest;
  #listener;
  /** The lines of requests that the guest has not got, by their ids, in their order. */
  #held = new Map();
  /** Whether those that the guest works on were cancelled, by their ids. */
  #begun = new Map();
  #isPassing = false;

  /**
   * @param guest - The guest for Python; undefined if there is none.
   * @param listener - Has the functions `tell`, which writes a frame to the host, `isIdle`, which says
   * whether no program runs, `ending`, a promise of the end of a program that has reported it, `change`,
   * which is called when `areWaiting` or `areAtWork` may have changed, `stuck` for cancelled work that
   * does not end, and `fail` for a fault of the supervisor.
   */
  constructor(guest, listener) {
    this.#guest = guest;
    this.#listener = listener;
  }

  /** Whether something is under way. */
  get areWaiting() {
    return this.#held.size > 0 || this.areAtWork;
  }

  /** Whether the guest works on a request, and on nothing else. */
  get areAtWork() {
    return this.#begun.size > 0;
  }

  /** @param line - A request, perhaps with data in front. */
  request(line) {
    const canBegin = this.#canBegin;
    // First, so that the guest works on it meanwhile.
    if (canBegin) this.#guest.send(line);
    const { request_id: id } = decodeBody(frameIn(line), FILE_REQUEST);
    if (this.#guest === undefined) return this.#refuse(id, NO_FILES);
    if (canBegin) this.#begun.set(id, false);
    else this.#hold(id, line);
    this.#listener.change();
  }

  /** Between programs, the guest works on one request after another. */
  get #canBegin() {
    if (this.#guest === undefined || this.#held.size > 0) return false;
    const isCancelledAtWork = [...this.#begun.values()].includes(true);
    return this.#guest.isWaiting || (this.#listener.isIdle() && !isCancelledAtWork);
  }

  #hold(id, line) {
    this.#held.set(id, line);
    this.#guest.holdMessages(true);
    if (!this.#isPassing) this.#passHeld().catch((error) => this.#listener.fail(error));
  }

  async #passHeld() {
    this.#isPassing = true;
    while (this.#held.size > 0) {
      do {
        await this.#guest.untilWaiting();
        // The host hears of a program's end before the guest begins other work.
        await this.#listener.ending();
      } while (!this.#guest.isWaiting);
      // All may have been cancelled meanwhile.
      for (const [id, line] of [...this.#held].slice(0, 1)) {
        this.#held.delete(id);
        this.#begun.set(id, false);
        this.#listener.change();
        await this.#guest.send(line);
      }
    }
    this.#guest.holdMessages(false);
    this.#isPassing = false;
  }

  cancel(line) {
    const { request_id: id } = decodeBody(line, FILE_CANCEL);
    if (this.#begun.get(id) === false) {
      this.#begun.set(id, true);
      setTimeout(() => this.#begun.has(id) && this.#listener.stuck(), CANCELLED_LIMIT_MS);
    } else if (!this.#held.delete(id)) return;
    this.#refuse(id, CANCELLED);
    this.#listener.change();
  }

  /** A program can forge an answer, but only to a request, and in its place. */
  answer(line) {
    const id = idOf(line);
    const isCancelled = this.#begun.get(id);
    if (!this.#begun.delete(id)) return;
    if (!isCancelled) this.#listener.tell(line);
    this.#listener.change();
  }

  /** Answers all requests with the reason why nothing answers them. */
  end(message) {
    for (const [id, isCancelled] of this.#begun) {
      if (!isCancelled) this.#refuse(id, { errno: 'EIO', message });
    }
    for (const id of this.#held.keys()) this.#refuse(id, { errno: 'EIO', message });
  }

  #refuse(id, error) {
    this.#listener.tell(encode(FILE_ANSWER, { request_id: id, error, result: null }));
  }
}

function idOf(line) {
  try {
    return decodeBody(frameIn(line), FILE_ANSWER)?.request_id;
  } catch {
    return undefined;
  }
}
