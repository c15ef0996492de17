import { inBackground } from '../../../shared/async/background.ts';
import {
  countLocks,
  countSockets,
  KernelObjectCounter,
  socketBufferBytes,
  temporaryBytes,
} from './kernel-objects.ts';
import { measureMemory } from './measure-memory.ts';
import { largestOf, ownObjectBytes, sharedBytes } from './memory-use.ts';
import { readProcesses, type SandboxProcess } from '../processes.ts';

const SIGKILL = 9;

/** The interval between measurements while a program runs, and while none runs. */
const BUSY_INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 250;
/**
 * How long a sandbox may exceed its limit by the sum of its processes, if memory that children seem
 * to share with their parents explains it. The time is limited because a program can imitate such a
 * child.
 */
const MOST_SHARING_MS = 1000;
/**
 * How long the measurement of processes may take before it begins again. The time is doubled while
 * it is too short.
 */
const MEASURE_TIMEOUT_MS = 100;
/**
 * The pause after a measurement is this many times as long as it blocked this thread, and at least
 * as long as it took.
 */
const PAUSE_FACTOR = 4;

/**
 * How many files the epoll instances of a sandbox can watch. The kernel limits them for all
 * processes of a user together, and Node aborts if it cannot watch one more. If the sandbox has the
 * host's user, that would be the host.
 */
const MOST_WATCHES = 16_384;

/**
 * Ends the largest processes of a sandbox that exceeds its memory limit, as the kernel does in a
 * control group, until it is within the limit. Also ends processes that watch too many files. It is
 * used for sandboxes whose memory no control group limits, or whose user is that of the host.
 */
export class MemoryWatch {
  readonly #launcherId: number;
  readonly #memoryBytes: number;
  readonly #bufferBytes = socketBufferBytes();
  readonly #objects: KernelObjectCounter;
  #intervalMs = IDLE_INTERVAL_MS;
  #timer: NodeJS.Timeout | undefined;
  /** When the next measurement is due, in the time of `performance.now()`. */
  #measureAtMs = 0;
  #isMeasuring = false;
  /** How long the last measurement blocked this thread. */
  #blockedMs = 0;
  /** Since when only memory that seems to be shared explains that the limit is not exceeded. */
  #sharingSinceMs: number | undefined;
  /** Whether that was so in this measurement. */
  #seemsShared = false;
  #timeoutMs = MEASURE_TIMEOUT_MS;
  #stopped = false;
  #kills = 0;

  /**
   * @param launcherId - The process whose child is process 1 of the sandbox.
   * @param memoryBytes - The memory limit. Infinite if a control group limits it.
   */
  constructor(launcherId: number, memoryBytes: number) {
    this.#launcherId = launcherId;
    this.#memoryBytes = memoryBytes;
    this.#objects = new KernelObjectCounter(memoryBytes);
    this.#measureAfter(this.#intervalMs);
  }

  /** Measures at the short interval, because a program runs. */
  programStarted(): void {
    this.#intervalMs = BUSY_INTERVAL_MS;
    // A quick sequence of programs must not postpone the measurement.
    const isSoon = this.#measureAtMs <= performance.now() + BUSY_INTERVAL_MS;
    if (!this.#isMeasuring && !isSoon) this.#measureAfter(BUSY_INTERVAL_MS);
  }

  /** Measures at the long interval. No program runs, but a process that one left may. */
  programEnded(): void {
    this.#intervalMs = IDLE_INTERVAL_MS;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** How many processes it has ended. */
  get kills(): number {
    return this.#kills;
  }

  #measureAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#measureAtMs = performance.now() + delayMs;
    // The timer does not keep this process alive, because the sandbox ends with it.
    this.#timer = setTimeout(() => inBackground(this.#measure()), delayMs).unref();
  }

  async #measure(): Promise<void> {
    this.#isMeasuring = true;
    const begin = performance.now();
    this.#seemsShared = false;
    try {
      const found = await this.#findTooLarge();
      // Measures twice, because the parts of a measurement are of different moments, and a child
      // may have been started between them.
      if (found.length > 0) this.#end(await this.#findTooLarge());
    } finally {
      if (!this.#seemsShared) this.#sharingSinceMs = undefined;
      this.#isMeasuring = false;
      // A sandbox full of processes takes milliseconds to measure, which must not use up the time
      // of the host.
      const pauseMs = Math.max(this.#blockedMs * PAUSE_FACTOR, performance.now() - begin);
      if (!this.#stopped) this.#measureAfter(Math.max(this.#intervalMs, pauseMs));
    }
  }

  /** Returns the ids of the processes to end. */
  async #findTooLarge(): Promise<readonly number[]> {
    const begin = performance.now();
    const { supervisor, others } = readProcesses(this.#launcherId);
    this.#blockedMs = performance.now() - begin;
    if (supervisor === undefined) return [];
    // First checks what is fast to find out, with the objects that were counted before.
    const known = await this.#findTooMuchMemory(supervisor, others);
    if (known.length > 0) return known;
    await this.#countObjects(others);
    const watches = others.map((each) => ({
      id: each.id,
      amount: this.#objects.objectsOf(each).watches,
    }));
    const watched = watches.reduce((sum, { amount }) => sum + amount, 0);
    if (watched > MOST_WATCHES) return largestOf(watches, watched - MOST_WATCHES);
    return this.#findTooMuchMemory(supervisor, others);
  }

  /** Counts the objects of processes until it is known that they exceed a limit. */
  async #countObjects(others: readonly SandboxProcess[]): Promise<void> {
    let watched = 0;
    let bytes = 0;
    await this.#objects.count(others, (each) => {
      watched += each.watches;
      bytes += ownObjectBytes(each);
      return watched > MOST_WATCHES || bytes > this.#memoryBytes;
    });
  }

  async #findTooMuchMemory(
    supervisor: SandboxProcess,
    others: readonly SandboxProcess[],
  ): Promise<readonly number[]> {
    if (this.#memoryBytes === Infinity) return [];
    const locks = await countLocks(new Set(others.map(({ id }) => id)));
    const sockets = countSockets(supervisor.id);
    const together = { sockets, locks, temporaryBytes: temporaryBytes(supervisor.id) };
    const objects = others.map((each) => this.#objects.objectsOf(each));
    const shared = sharedBytes(objects, together, this.#bufferBytes);
    const held = [supervisor, ...others].map((each) => ({
      process: each,
      kernelBytes: each.ownBytes + ownObjectBytes(this.#objects.objectsOf(each)),
    }));
    const room = this.#memoryBytes - shared;
    const measured = await measureMemory(held, room, this.#timeoutMs);
    this.#timeoutMs = measured.isDecided ? MEASURE_TIMEOUT_MS : this.#timeoutMs * 2;
    const tooMuch = this.#tooMuch(measured.bytes - room, measured.twiceBytes);
    const shares = held.slice(1).map(({ process: { id, privateBytes }, kernelBytes }) => ({
      id,
      amount: privateBytes + kernelBytes,
    }));
    return tooMuch > 0 ? largestOf(shares, tooMuch) : [];
  }

  /**
   * By how many bytes a sandbox exceeds its limit.
   * @param excessBytes - The same, by the sum of its processes.
   * @param twiceBytes - The part of the sum that counts twice.
   */
  #tooMuch(excessBytes: number, twiceBytes: number): number {
    if (excessBytes <= 0 || excessBytes > twiceBytes) return excessBytes - twiceBytes;
    this.#seemsShared = true;
    this.#sharingSinceMs ??= performance.now();
    return performance.now() - this.#sharingSinceMs < MOST_SHARING_MS ? 0 : excessBytes;
  }

  #end(ids: readonly number[]): void {
    if (this.#stopped || ids.length === 0) return;
    // Reads the ids again, because an earlier id may belong to another process by now.
    const living = new Set(readProcesses(this.#launcherId).others.map(({ id }) => id));
    for (const id of ids.filter((each) => living.has(each))) {
      try {
        process.kill(id, SIGKILL);
        this.#kills += 1;
      } catch {
        // It has ended.
      }
    }
  }
}
