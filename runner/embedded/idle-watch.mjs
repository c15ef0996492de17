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
  #timer;

  constructor(onExcess) {
    this.#onExcess = onExcess;
  }

  start() {
    this.stop();
    const [startedMs, usedMs] = [performance.now(), processorMs()];
    this.#timer = setInterval(() => {
      const allowedMs = ALLOWED_MS + ALLOWED_SHARE * (performance.now() - startedMs);
      if (processorMs() - usedMs > allowedMs) this.#onExcess();
    }, INTERVAL_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }
}

/** Returns the processor time of the whole process, in milliseconds. */
function processorMs() {
  const { system, user } = Deno.cpuUsage();
  return (system + user) / 1000;
}
