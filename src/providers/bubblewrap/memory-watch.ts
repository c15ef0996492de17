import type { OutcomeMessage } from '../../protocol/messages.ts';
import { memoryOf, readProcesses, type SandboxProcess } from './processes.ts';

const SIGKILL = 9;

/** How often a sandbox is looked at while a program runs in it, and while none does. */
const BUSY_INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 250;

/**
 * Ends the largest process of a sandbox that uses more than its memory, as the kernel does in a control
 * group, and again until it uses less. Linux bounds the memory of single processes only.
 */
export class MemoryWatch {
  readonly #launcherId: number;
  readonly #memoryBytes: number;
  #timer: NodeJS.Timeout | undefined;
  #kills = 0;

  /** @param launcherId - The process whose child is process 1 of the sandbox. */
  constructor(launcherId: number, memoryBytes: number) {
    this.#launcherId = launcherId;
    this.#memoryBytes = memoryBytes;
    this.rest();
  }

  /** A program runs. */
  hurry(): void {
    this.#lookEvery(BUSY_INTERVAL_MS);
  }

  /** No program runs, but what one left may. */
  rest(): void {
    this.#lookEvery(IDLE_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The supervisor saw how its guest ended, but only the watch knows why. */
  explain(outcome: OutcomeMessage): OutcomeMessage {
    const { interpreter_end: end, error } = outcome;
    if (this.#kills === 0 || end?.reason !== 'signal' || end.status !== SIGKILL) return outcome;
    const type = error?.type ?? 'InterpreterEnded';
    return {
      ...outcome,
      interpreter_end: { ...end, reason: 'memory' },
      error: { type, message: MESSAGE, line: null, traceback: `${type}: ${MESSAGE}` },
    };
  }

  #lookEvery(intervalMs: number): void {
    clearInterval(this.#timer);
    // It keeps no process alive: the sandbox would go with that.
    this.#timer = setInterval(() => this.#look(), intervalMs).unref();
  }

  #look(): void {
    const { supervisor, others } = readProcesses(this.#launcherId);
    if (supervisor === undefined) return;
    const all = [supervisor, ...others];
    const atMost = all.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    // What they share is asked for only where it could matter: the kernel walks all pages for the answer.
    if (atMost <= this.#memoryBytes || memoryOf(all) <= this.#memoryBytes) return;
    const largest = others.reduce<SandboxProcess | undefined>(
      (most, each) => (most && most.residentBytes >= each.residentBytes ? most : each),
      undefined,
    );
    if (largest !== undefined) this.#kill(largest);
  }

  #kill({ id }: SandboxProcess): void {
    try {
      process.kill(id, SIGKILL);
      this.#kills += 1;
    } catch {
      // It ended meanwhile.
    }
  }
}

const MESSAGE =
  'the program needed more memory than the sandbox has (signal 9); the session’s state is lost';
