/**
 * The host's requests about files. The guest for Python does the work, in the thread of programs, so
 * it cannot be ended alone: an answer that the host no longer waits for is dropped.
 */

import { decodeBody, encode, FILE_ANSWER, FILE_CANCEL, FILE_REQUEST, frameIn } from './frames.mjs';

const NO_FILES = {
  errno: 'ENOSYS',
  message: 'this sandbox has no files, because Python is not one of its languages',
};
const CANCELLED = { errno: 'ECANCELED', message: 'it was cancelled' };

export class FileRequests {
  #guest;
  #tell;
  #onChange;
  /** The ids of requests that are not answered. */
  #waiting = new Set();

  /**
   * @param guest - The guest for Python; undefined if there is none.
   * @param tell - Writes a frame to the host.
   * @param onChange - Called when `areWaiting` may have changed.
   */
  constructor(guest, tell, onChange) {
    this.#guest = guest;
    this.#tell = tell;
    this.#onChange = onChange;
  }

  /** Whether something is under way. */
  get areWaiting() {
    return this.#waiting.size > 0;
  }

  /** @param line - A request, perhaps with data in front. */
  request(line) {
    // First, so that the guest works on it meanwhile.
    this.#guest?.send(line);
    const { request_id: id } = decodeBody(frameIn(line), FILE_REQUEST);
    if (this.#guest === undefined) return this.#refuse(id, NO_FILES);
    this.#waiting.add(id);
    this.#onChange();
  }

  cancel(line) {
    const { request_id: id } = decodeBody(line, FILE_CANCEL);
    if (!this.#waiting.delete(id)) return;
    this.#refuse(id, CANCELLED);
    this.#onChange();
  }

  /** A program can forge an answer, but only to a request, and in its place. */
  answer(line) {
    if (!this.#waiting.delete(idOf(line))) return;
    this.#tell(line);
    this.#onChange();
  }

  #refuse(id, error) {
    this.#tell(encode(FILE_ANSWER, { request_id: id, error, result: null }));
  }
}

function idOf(line) {
  try {
    return decodeBody(frameIn(line), FILE_ANSWER)?.request_id;
  } catch {
    return undefined;
  }
}
