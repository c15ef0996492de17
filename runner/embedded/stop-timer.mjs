const STEP_MS = 50;

/**
 * At most this much of the time since the last look counts. If the process gets no processor for longer, what the guest reported
 * meanwhile is not read yet. Some timers are a little late, so this is more than a step.
 */
const LONGEST_STEP_MS = 2 * STEP_MS;

/**
 * The time in which a guest must stop the program that was interrupted. While it works on files, the
 * program cannot stop: its time then begins when that work is done.
 */
export class StopTimer {
  #areFilesAtWork;
  #onOver;
  /** Settings of the run that must stop. Undefined if none must. */
  #graceMs;
  /** What is left of the time in all. */
  #limitLeftMs;
  /** What is left of the grace, or of the time in all if the guest works on files. */
  #leftMs;
  #countedAt;
  #timer;
  #wasAtWork;

  /**
   * @param areFilesAtWork - Whether the guest works on files.
   * @param onOver - Called when the time is over, with the result of `areFilesAtWork`.
   */
  constructor(areFilesAtWork, onOver) {
    this.#areFilesAtWork = areFilesAtWork;
    this.#onOver = onOver;
  }

  get isStarted() {
    return this.#graceMs !== undefined;
  }

  /** @param limitMs - How long it may take in all. */
  start(graceMs, limitMs) {
    this.#graceMs = graceMs;
    this.#limitLeftMs = limitMs;
    this.#countedAt = performance.now();
    this.#wasAtWork = undefined;
    this.onFiles();
  }

  /** Whether the guest works on files may have changed. */
  onFiles() {
    const isAtWork = this.#areFilesAtWork();
    if (!this.isStarted || isAtWork === this.#wasAtWork) return;
    this.#wasAtWork = isAtWork;
    this.#count();
    this.#leftMs = isAtWork ? this.#limitLeftMs : Math.min(this.#graceMs, this.#limitLeftMs);
    this.#wait();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#graceMs = undefined;
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#count();
        if (this.#leftMs > 0) this.#wait();
        else this.#onOver(this.#wasAtWork);
      },
      Math.min(STEP_MS, Math.max(0, this.#leftMs)),
    );
  }

  #count() {
    const now = performance.now();
    const passedMs = Math.min(now - this.#countedAt, LONGEST_STEP_MS);
    this.#countedAt = now;
    this.#limitLeftMs -= passedMs;
    this.#leftMs -= passedMs;
  }
}
