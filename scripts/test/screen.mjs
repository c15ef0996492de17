// What a person sees of a test run: a line for each check that has ended, each failure as soon as it is known, and what
// runs at the moment.

const REFRESH_MS = 500;
/** Where lines cannot be replaced, such as in the log of a CI run. */
const REPORT_MS = 30_000;

export class Screen {
  #canReplace = process.stdout.isTTY;
  /** The checks that run, with when they began and how far they are. */
  #running = new Map();
  #timer;

  begin(name) {
    this.#running.set(name, { beganAt: performance.now(), progress: '' });
    this.#timer ??= setInterval(
      () => this.#showRunning(),
      this.#canReplace ? REFRESH_MS : REPORT_MS,
    ).unref();
    if (this.#canReplace) this.#showRunning();
  }

  /** @param progress - Such as `12 of 180 files`. */
  setProgress(name, progress) {
    const check = this.#running.get(name);
    if (check) check.progress = progress;
  }

  /** @param outcome - `passed`, `failed`, `skipped` or `stopped`. @param note - What else its line says. */
  end(name, outcome, note = '') {
    const seconds = this.#secondsOf(name).toFixed(1);
    this.#running.delete(name);
    this.print(`${name.padEnd(16)}${outcome.padEnd(8)}${seconds.padStart(7)} s${note}`);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  print(text) {
    if (this.#canReplace) process.stdout.write('\r\u001B[K');
    console.log(text);
    if (this.#canReplace && this.#running.size > 0) this.#showRunning();
  }

  #secondsOf(name) {
    return (performance.now() - this.#running.get(name).beganAt) / 1000;
  }

  #showRunning() {
    const parts = [...this.#running].map(([name, { progress }]) => {
      const seconds = `${this.#secondsOf(name).toFixed(0)} s`;
      return `${name}: ${progress === '' ? seconds : `${progress}, ${seconds}`}`;
    });
    const line = `… ${parts.join('; ')}`;
    if (!this.#canReplace) return console.log(line);
    // A line that wraps could not be replaced.
    process.stdout.write(`\r\u001B[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
  }
}
