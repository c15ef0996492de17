/**
 * The time in which a guest must stop the program that was interrupted. While it works on files, the
 * program cannot stop: its time then begins when that work is done.
 */
export class StopTimer {
  #areFilesAtWork;
  #onOver;
  /** Settings of the run that must stop. Undefined if none must. */
  #graceMs;
  #limitAt;
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
    return this.#limitAt !== undefined;
  }

  /** @param limitMs - How long it may take in all. */
  start(graceMs, limitMs) {
    this.#graceMs = graceMs;
    this.#limitAt = performance.now() + limitMs;
    this.#wasAtWork = undefined;
    this.onFiles();
  }

  /** Whether the guest works on files may have changed. */
  onFiles() {
    const isAtWork = this.#areFilesAtWork();
    if (!this.isStarted || isAtWork === this.#wasAtWork) return;
    this.#wasAtWork = isAtWork;
    clearTimeout(this.#timer);
    const leftMs = Math.max(0, this.#limitAt - performance.now());
    const ms = isAtWork ? leftMs : Math.min(this.#graceMs, leftMs);
    this.#timer = setTimeout(() => this.#onOver(isAtWork), ms);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#limitAt = undefined;
  }
}
