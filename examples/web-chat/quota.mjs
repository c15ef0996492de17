// @ts-check
// How much each user may ask. One user must not take the sandboxes, the model or the memory of all.

const MINUTE_MS = 60_000;
/** The users who are counted in one minute. Otherwise, invented names would fill the memory. */
const MOST_USERS = 10_000;

export class Quota {
  #perMinute;
  #atATime;
  #minute = 0;
  /** @type {Map<string, number>} The requests of each user in this minute. */
  #asked = new Map();
  /** @type {Map<string, number>} The answers that each user is being sent. */
  #answering = new Map();

  /** @param {{ perMinute: number, atATime: number }} limits */
  constructor({ perMinute, atATime }) {
    if (![perMinute, atATime].every((limit) => Number.isInteger(limit) && limit > 0)) {
      throw new RangeError(
        `MESSAGES_PER_MINUTE is ${perMinute} and ANSWERS_AT_A_TIME is ${atATime}. They must be whole numbers, 1 or more.`,
      );
    }
    this.#perMinute = perMinute;
    this.#atATime = atATime;
  }

  /**
   * Counts a request of the user.
   * @param {string} user
   * @returns {number} after how many seconds the user may ask; 0 if now
   */
  ask(user) {
    const now = Date.now();
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) this.#asked.clear();
    this.#minute = minute;
    const asked = this.#asked.get(user);
    const isFull = asked === undefined && this.#asked.size >= MOST_USERS;
    if (isFull || (asked ?? 0) >= this.#perMinute) {
      return Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000);
    }
    this.#asked.set(user, (asked ?? 0) + 1);
    return 0;
  }

  /**
   * Begins an answer, unless the user has as many as may be sent at a time.
   * @param {string} user
   * @returns {(() => void) | undefined} ends the answer
   */
  beginAnswer(user) {
    const answering = this.#answering.get(user) ?? 0;
    if (answering >= this.#atATime) return undefined;
    this.#answering.set(user, answering + 1);
    return () => {
      const left = (this.#answering.get(user) ?? 1) - 1;
      if (left > 0) this.#answering.set(user, left);
      else this.#answering.delete(user);
    };
  }
}
