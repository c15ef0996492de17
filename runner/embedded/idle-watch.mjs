/**
 * Between programs a guest is blocked until its next message. This is the wall behind that: it ends a
 * process that uses its processor all the same.
 */

const INTERVAL_MS = 250;
/** For what the engine does after a program: it compiles what ran often, and collects garbage. */
const ALLOWED_MS = 3000;
/** For this watch itself, and for what the engine does now and then. */
const ALLOWED_SHARE = 0.05;

export class IdleWatch {
  #onExcess;
  #timer;

  constructor(onExcess) {
    this.#onExcess = onExcess;
  }

  start() {
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

/** Processor time of the whole process, in milliseconds. */
function processorMs() {
  const { system, user } = Deno.cpuUsage();
  return (system + user) / 1000;
}
