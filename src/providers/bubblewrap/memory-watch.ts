import { memoryOf, readProcesses, type SandboxProcess } from './processes.ts';

const SIGKILL = 9;

/** How often a sandbox is looked at while a program runs in it, and while none does. */
const BUSY_INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 250;
/** How many times as long as a look takes there is none. */
const REST_PER_LOOK = 4;

/**
 * Ends the largest process of a sandbox that uses more than its memory, as the kernel does in a control
 * group, and again until it uses less. For where there is none: then Linux bounds the memory of single processes only.
 */
export class MemoryWatch {
  readonly #launcherId: number;
  readonly #memoryBytes: number;
  #intervalMs = IDLE_INTERVAL_MS;
  #timer: NodeJS.Timeout | undefined;
  /** When the next look is due, by this process's clock. */
  #lookAtMs = 0;
  #isLooking = false;
  #stopped = false;
  #kills = 0;

  /** @param launcherId - The process whose child is process 1 of the sandbox. */
  constructor(launcherId: number, memoryBytes: number) {
    this.#launcherId = launcherId;
    this.#memoryBytes = memoryBytes;
    this.#lookAfter(this.#intervalMs);
  }

  /** A program runs. */
  hurry(): void {
    this.#intervalMs = BUSY_INTERVAL_MS;
    // Not put off by one program after the other.
    const isSoon = this.#lookAtMs <= performance.now() + BUSY_INTERVAL_MS;
    if (!this.#isLooking && !isSoon) this.#lookAfter(BUSY_INTERVAL_MS);
  }

  /** No program runs, but what one left may. */
  rest(): void {
    this.#intervalMs = IDLE_INTERVAL_MS;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Whether it ended a process. */
  hasKilled(): boolean {
    return this.#kills > 0;
  }

  #lookAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#lookAtMs = performance.now() + delayMs;
    // It keeps no process alive: the sandbox would go with that.
    this.#timer = setTimeout(() => void this.#look(), delayMs).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const begin = performance.now();
    if (await this.#isTooLarge()) this.#killLargest();
    this.#isLooking = false;
    // A sandbox full of processes takes some milliseconds to look at, which must not be all that its host does.
    const restMs = (performance.now() - begin) * REST_PER_LOOK;
    if (!this.#stopped) this.#lookAfter(Math.max(this.#intervalMs, restMs));
  }

  async #isTooLarge(): Promise<boolean> {
    const { supervisor, others } = readProcesses(this.#launcherId);
    if (supervisor === undefined) return false;
    const all = [supervisor, ...others];
    const atMost = all.reduce((sum, { atMostBytes }) => sum + atMostBytes, 0);
    return atMost > this.#memoryBytes && (await memoryOf(all)) > this.#memoryBytes;
  }

  #killLargest(): void {
    // Anew, for those of before may be others by now.
    const { others } = readProcesses(this.#launcherId);
    const largest = others.reduce<SandboxProcess | undefined>(
      (most, each) => (most && most.atMostBytes >= each.atMostBytes ? most : each),
      undefined,
    );
    if (this.#stopped || largest === undefined) return;
    try {
      process.kill(largest.id, SIGKILL);
      this.#kills += 1;
    } catch {
      // It ended meanwhile.
    }
  }
}
