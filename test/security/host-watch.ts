import { readFile, writeFile } from 'node:fs/promises';
import type { RecordableHistogram } from 'node:perf_hooks';

/** How often the event loop is looked at. */
const LOOK_MS = 5;

/** What a program cost the process that ran it. */
export interface HostCost {
  /**
   * The longest that the event loop was held at a stretch, in milliseconds: the time from one look at it to the next,
   * or the processor time that this process spent meanwhile if that is less. Time in which the machine let other
   * processes run does not count.
   */
  readonly loopDelayMs: number;
  /** How far the resident memory of this process went up, in bytes. */
  readonly memoryBytes: number;
}

/** Measures what runs between its start and its stop. */
export class HostWatch {
  readonly #delays: RecordableHistogram | undefined;
  readonly #startBytes: number;
  readonly #timer: NodeJS.Timeout;
  #lookedAt: number = performance.now();
  #used: NodeJS.CpuUsage = process.cpuUsage();
  #loopDelayMs = 0;

  /** @param delays - Gets the delay of each look at the event loop, in microseconds. */
  static async start(delays?: RecordableHistogram): Promise<HostWatch> {
    // The kernel keeps the highest figure, also of a moment within a turn of the event loop. It starts afresh.
    await writeFile('/proc/self/clear_refs', '5').catch(() => undefined);
    return new HostWatch(delays);
  }

  private constructor(delays: RecordableHistogram | undefined) {
    this.#delays = delays;
    this.#startBytes = process.memoryUsage.rss();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    // It must not look like something that a program left behind.
    this.#timer.unref();
  }

  async stop(): Promise<HostCost> {
    clearInterval(this.#timer);
    this.#look();
    const memoryBytes = Math.max(0, (await highestBytes()) - this.#startBytes);
    return { loopDelayMs: this.#loopDelayMs, memoryBytes };
  }

  #look(): void {
    const now = performance.now();
    const { user, system } = process.cpuUsage(this.#used);
    const elapsed = now - this.#lookedAt - LOOK_MS;
    this.#loopDelayMs = Math.max(this.#loopDelayMs, Math.min(elapsed, (user + system) / 1000));
    this.#delays?.record(Math.max(1, Math.round(elapsed * 1000)));
    this.#lookedAt = now;
    this.#used = process.cpuUsage();
  }
}

/** The most that this process had resident since the figure was set back, or ever if it cannot be. */
async function highestBytes(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kilobytes) * 1024;
}
