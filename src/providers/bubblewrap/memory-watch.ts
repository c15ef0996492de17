import { inBackground } from '../../shared/background.ts';
import {
  countLocks,
  countSockets,
  KernelObjectCounter,
  socketBufferBytes,
  temporaryBytes,
} from './kernel-objects.ts';
import { measureMemory } from './measure-memory.ts';
import { largestOf, ownObjectBytes, sharedBytes } from './memory-use.ts';
import { readProcesses, type SandboxProcess } from './processes.ts';

const SIGKILL = 9;

/** How often a sandbox is looked at while a program runs in it, and while none does. */
const BUSY_INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 250;
/**
 * For how long a sandbox may use more than its memory by the sum of its processes, if it does not once memory counts once
 * that children seem to share with their parents: a program can imitate such a child.
 */
const MOST_SHARING_MS = 1000;
/** How long it may take to measure processes before they are looked at anew; doubled while that is too short. */
const PATIENCE_MS = 100;
/** How many times as long as a look holds up this thread there is none, and at least as long as it takes in all. */
const REST_PER_LOOK = 4;

/**
 * How many files the epoll instances of a sandbox watch at most. The kernel bounds them for all processes of a user
 * together, and Node ends (`abort`) if it cannot watch one more: the host, if it is of the same user.
 */
const MOST_WATCHES = 16_384;

/**
 * Ends the largest processes of a sandbox that uses more than its memory, as the kernel does in a control
 * group, until it uses less; and those that watch too many files. For sandboxes of which no control group
 * bounds the memory, or whose user is the host's.
 */
export class MemoryWatch {
  readonly #launcherId: number;
  readonly #memoryBytes: number;
  readonly #bufferBytes = socketBufferBytes();
  readonly #objects: KernelObjectCounter;
  #intervalMs = IDLE_INTERVAL_MS;
  #timer: NodeJS.Timeout | undefined;
  /** When the next look is due, by this process's clock. */
  #lookAtMs = 0;
  #isLooking = false;
  /** For how long the last look let nothing else run. */
  #heldUpMs = 0;
  /** Since when only memory that seems to be shared explains that it uses no more than it may. */
  #sharingSinceMs: number | undefined;
  /** Whether that was so in this look. */
  #seemsShared = false;
  #patienceMs = PATIENCE_MS;
  #stopped = false;
  #kills = 0;

  /**
   * @param launcherId - The process whose child is process 1 of the sandbox.
   * @param memoryBytes - What it may use; infinite if a control group bounds that.
   */
  constructor(launcherId: number, memoryBytes: number) {
    this.#launcherId = launcherId;
    this.#memoryBytes = memoryBytes;
    this.#objects = new KernelObjectCounter(memoryBytes);
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
    this.#timer = setTimeout(() => inBackground(this.#look()), delayMs).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const begin = performance.now();
    this.#seemsShared = false;
    try {
      const found = await this.#findTooLarge();
      // Twice, for the parts of a look are of different moments, between which a child may have been made.
      if (found.length > 0) this.#end(await this.#findTooLarge());
    } finally {
      if (!this.#seemsShared) this.#sharingSinceMs = undefined;
      this.#isLooking = false;
      // A sandbox full of processes takes some milliseconds to look at, which must not be all that its host does.
      const restMs = Math.max(this.#heldUpMs * REST_PER_LOOK, performance.now() - begin);
      if (!this.#stopped) this.#lookAfter(Math.max(this.#intervalMs, restMs));
    }
  }

  /** The ids of the processes that are to be ended. */
  async #findTooLarge(): Promise<readonly number[]> {
    const begin = performance.now();
    const { supervisor, others } = readProcesses(this.#launcherId);
    this.#heldUpMs = performance.now() - begin;
    if (supervisor === undefined) return [];
    // First what takes least time to tell, with the objects of those that have not computed since.
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

  /** Of so many processes that it is known whether it is too much. */
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
    const measured = await measureMemory(held, room, this.#patienceMs);
    this.#patienceMs = measured.isDecided ? PATIENCE_MS : this.#patienceMs * 2;
    const tooMuch = this.#tooMuch(measured.bytes - room, measured.twiceBytes);
    const shares = held.slice(1).map(({ process: { id, privateBytes }, kernelBytes }) => ({
      id,
      amount: privateBytes + kernelBytes,
    }));
    return tooMuch > 0 ? largestOf(shares, tooMuch) : [];
  }

  /**
   * By how many bytes a sandbox is above its limit.
   * @param excessBytes - The same by the sum of its processes.
   * @param twiceBytes - What of the sum counts twice.
   */
  #tooMuch(excessBytes: number, twiceBytes: number): number {
    if (excessBytes <= 0 || excessBytes > twiceBytes) return excessBytes - twiceBytes;
    this.#seemsShared = true;
    this.#sharingSinceMs ??= performance.now();
    return performance.now() - this.#sharingSinceMs < MOST_SHARING_MS ? 0 : excessBytes;
  }

  #end(ids: readonly number[]): void {
    if (this.#stopped || ids.length === 0) return;
    // Anew, for an id of before may be another's by now.
    const living = new Set(readProcesses(this.#launcherId).others.map(({ id }) => id));
    for (const id of ids.filter((each) => living.has(each))) {
      try {
        process.kill(id, SIGKILL);
        this.#kills += 1;
      } catch {
        // It ended meanwhile.
      }
    }
  }
}
