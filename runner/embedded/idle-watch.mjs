/**
 * Ends a process that uses the processor between programs. It is a second layer, because a guest is
 * blocked then until its next message.
 */

const INTERVAL_MS = 250;
/** Processor time that V8 may use after a program, to compile and to collect garbage. */
const ALLOWED_MS = 3000;
/** Share of the elapsed time for this measurement itself and for V8. */
const ALLOWED_SHARE = 0.05;

export class IdleWatch {
  #onExcess;
  /** When it began to watch, and the processor time until then. Undefined while it does not watch. */
  #begin;

  constructor(onExcess) {
    this.#onExcess = onExcess;
    // Runs always, because each request about a file stops and starts the watch.
    setInterval(() => this.#check(), INTERVAL_MS);
  }

  start() {
    this.#begin = { elapsedMs: performance.now(), usedMs: processorMs() };
  }

  stop() {
    this.#begin = undefined;
  }

  #check() {
    if (this.#begin === undefined) return;
    const elapsedMs = performance.now() - this.#begin.elapsedMs;
    const allowedMs = ALLOWED_MS + ALLOWED_SHARE * elapsedMs;
    if (processorMs() - this.#begin.usedMs > allowedMs) this.#onExcess();
  }
}

/** Returns the processor time of the whole process, in milliseconds. */
function processorMs() {
  const { system, user } = Deno.cpuUsage();
  return (system + user) / 1000;
}
